"""The website: running the notebooks, and drawing the pages."""
