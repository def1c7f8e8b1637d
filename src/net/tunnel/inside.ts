// What the program inside and what starts it have to agree on.

/** On 127.0.0.1 of the sandbox, where nothing else listens when the program starts. */
export const PROXY_PORT = 3128

/** Said to the descriptor that waits for it, when all is as it should be, before the program starts. */
export const READY = 'ready\n'

const PROXY = `http://127.0.0.1:${PROXY_PORT}`

/** Programs read one or the other spelling. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'all_proxy'].flatMap(name => [
      [name, PROXY],
      [name.toUpperCase(), PROXY],
    ]),
  ),
  no_proxy: '',
  NO_PROXY: '',
  NODE_USE_ENV_PROXY: '1',
}
