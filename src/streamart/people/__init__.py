"""What a person says about clusters (hints, names, corrections) and asks (explanations)."""
