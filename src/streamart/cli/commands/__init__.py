"""One file for each command: its options, its help, and what it calls."""
