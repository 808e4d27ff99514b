"""The pictures of the documentation, each drawn by a script: `python -m docs.pictures` draws them anew.

A module is a picture: `NAME` is its file, `draw()` gives its text. `tests/test_pictures.py` compares both.
"""
