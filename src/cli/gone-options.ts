// Options that commands had once, and what does their job now.
const CREDENTIALS =
  'rlp login HOST keeps a name and a password. A pipeline that keeps none names a file with them in REGISTRY_AUTH_FILE (docs/registries.md)'

/** By flag, without dashes. */
export const GONE_OPTIONS: Readonly<Record<string, string>> = {
  username: CREDENTIALS,
  'password-stdin': CREDENTIALS,
  'fetch-timeout': 'timeout under [registries] in config.toml sets the time (docs/operator.md)',
}
