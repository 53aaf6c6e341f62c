"""Derive clusters from all categories. These modules work on arrays alone."""
