// rlp key list: the named keys of this user.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { listKeys } from './named-keys.ts'

export const command = defineCommand({
  name: 'key list',
  summary: 'the keys in ~/.runloop/keys, with their public halves',
  options: {},
  examples: [['rlp key list', 'names, anchors, and whether a key is encrypted']],
  async run(args, io) {
    const result = await listKeys()
    const { keys } = result
    report(io, args, {
      tool: 'key.list',
      result,
      text: () => {
        if (keys.length === 0) return args.quiet ? '' : 'No keys; rlp key generate NAME makes one\n'
        return keys
          .map(({ name, anchor, encrypted, problem }) =>
            args.quiet
              ? `${name}\n`
              : `${[name, ...stateOf(encrypted)].join('  ')}\n  ${printable(anchor ?? problem ?? '')}\n`,
          )
          .join('')
      },
    })
    return EXIT.ok
  },
})

function stateOf(encrypted: boolean | null): readonly string[] {
  if (encrypted === null) return []
  return [encrypted ? 'encrypted' : 'not encrypted']
}
