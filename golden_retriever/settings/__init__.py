"""Settings, in one file per subject; the rest of the program imports them from here."""

from golden_retriever.settings.sources import CONFIG_VARIABLE, Settings, cache_folder, config_file, load_settings

__all__ = ["CONFIG_VARIABLE", "Settings", "cache_folder", "config_file", "load_settings"]
