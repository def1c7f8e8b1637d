// rlp doctor: what is wrong on this host, a line for each thing that was looked at.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style } from '../cli/render/style.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { STATES } from './check.ts'
import { HEALTH_CHECKS } from './index.ts'
import { type CheckedHealth, lookAt, lookAtOverrides, thisHost } from './look.ts'

const WIDEST = Math.max(...STATES.map(level => level.length))

export const command = defineCommand({
  name: 'doctor',
  summary: 'say what is wrong on this host, what ends soon, and how to mend it',
  positionals: [
    {
      name: 'override',
      many: true,
      describe: 'an override of policy.caps to check before it goes live; nothing else is looked at',
    },
  ],
  options: {},
  examples: [
    ['rlp doctor', 'every line, of this user and of the system'],
    ['rlp doctor --quiet', 'only what is not ok'],
    ['rlp doctor mailer.caps', 'an override, before it goes live'],
    ['rlp doctor --json | jq .result.wrong', 'how many things are wrong, for a program that watches hosts'],
  ],
  notes:
    'Looks at folders, trust policies, trust channels, config.toml, overrides, keys, what is remembered, installed agents, and the programs that their tools start. It makes no request and writes nothing.\n\nExit code 1: something is wrong. 0: all is ok, or there are warnings only.',
  async run(args, io) {
    const lines =
      args.override.length > 0
        ? await lookAtOverrides(args.override, io.cwd)
        : await lookAt(await thisHost(io), HEALTH_CHECKS)
    const counts = Object.fromEntries(
      STATES.map(level => [level, lines.filter(line => line.level === level).length]),
    )
    const isWell = counts['wrong'] === 0
    report(io, args, {
      tool: 'doctor',
      result: {
        passed: isWell,
        ...counts,
        lines: lines.map(({ check, level, what, state, fix }) => ({
          check,
          level,
          what,
          state,
          fix: fix ?? null,
        })),
      },
      text: () => {
        const style = createStyle(io.color)
        const shown = args.quiet ? lines.filter(({ level }) => level !== 'ok') : lines
        return shown.map(line => `${textOf(line, style)}\n`).join('')
      },
    })
    return isWell ? EXIT.ok : EXIT.bundle
  },
})

/** `wrong    policy ~/.runloop/trust-policy.toml  others may write it. Run chmod go-w …` */
function textOf({ level, what, state, fix }: CheckedHealth, style: Style): string {
  const paint = { ok: style.green, warning: style.yellow, wrong: style.red }[level]
  const mended = fix === undefined ? '' : `${/[.?]$/.test(state) ? '' : '.'} ${fix}`
  return `${paint(level.padEnd(WIDEST))}  ${style.bold(printable(what))}  ${printable(`${state}${mended}`)}`
}
