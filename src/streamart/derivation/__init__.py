"""Clusters derived from all categories whenever somebody asks; works on arrays alone."""
