"""How a model learns, around the compiled core; knows neither scikit-learn nor files."""
