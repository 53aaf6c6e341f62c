"""Hints, names, corrections and explanations: what people tell a model and ask it."""
