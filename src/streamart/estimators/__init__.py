"""The estimators: scikit-learn's contract around the engines."""
