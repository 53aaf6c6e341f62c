"""What changed, when and why: permanent ids of clusters, and the events of a model."""
