/** Thrown when settings are missing or invalid. The message has one line per fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
