"""Settings: every one in a file by subject; this is what the rest of the launcher uses."""

from golden_retriever.settings.loading import CONFIG_VARIABLE, Settings, cache_folder, config_file, load_settings

__all__ = ["CONFIG_VARIABLE", "Settings", "cache_folder", "config_file", "load_settings"]
