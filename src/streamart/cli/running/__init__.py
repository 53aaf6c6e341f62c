"""A run over a stream: models, learning, checkpoints, labels, scores, the summary."""
