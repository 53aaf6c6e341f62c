"""Categories under a budget of memory, and the clusters that are derived from them late."""
