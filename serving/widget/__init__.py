"""The widget: one script tag puts the help bot on a page of the intranet."""
