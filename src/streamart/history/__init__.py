"""Permanent ids of clusters, and the events that record changes."""
