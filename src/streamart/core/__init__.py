"""The network, file by file as in Section 2 of the paper. Knows neither scikit-learn nor files."""
