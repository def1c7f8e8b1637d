// rlp key list: the named keys of this user.
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb } from '../../verb/index.ts'
import { KEYS } from '../key-inputs.ts'
import { type ListedKeys, listKeys } from '../named-keys.ts'

/**
 * The named keys of a user, sorted by name. No passphrase is needed.
 *
 * @example
 * const { keys } = await keyList()
 * for (const { name, anchor, encrypted } of keys) console.log(name, anchor, encrypted)
 *
 * @throws {@link RlpError} `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'key list',
  summary: 'the keys in ~/.runloop/keys, with their public halves',
  inputs: KEYS,
  run: ({ home }): Promise<ListedKeys> => listKeys(home),
})

export const command = commandOf(verb, {
  examples: [['rlp key list', 'names, anchors, and whether a key is encrypted']],
  quiet: ({ keys }) => keys.map(({ name }) => name),
  text({ keys }) {
    if (keys.length === 0) return 'No keys; rlp key generate NAME makes one\n'
    return keys
      .map(({ name, anchor, encrypted, problem }) => {
        const state = encrypted === null ? '' : encrypted ? '  encrypted' : '  not encrypted'
        return `${name}${state}\n  ${printable(anchor ?? problem ?? '')}\n`
      })
      .join('')
  },
})
