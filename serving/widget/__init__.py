"""The widget: one script tag puts the help bot on an intranet page."""
