// rlp trust reset: the recorded recovery from a wrong high-water mark.
import { type Style, SYMBOLS } from '../../cli/render/style.ts'
import { commandOf, defineVerb, needed, text, whether } from '../../verb/index.ts'
import { audit, recorder } from '../../verb/kinds/audit.ts'
import { home, path } from '../../verb/kinds/paths.ts'
import { resetMarks, type TrustReset } from '../reset-marks.ts'

/**
 * Lowers how new an agent was here, and records that it was lowered: the recovery from a wrong high-water mark.
 *
 * @param agent `name` or `name@variant`
 *
 * @example
 * const { forgotten } = await trustReset('mailer', { to: '0.9.0', reason: '9.0.0 was a typing error' })
 * console.log(forgotten.map(({ version }) => version))
 *
 * @throws {@link RlpError} `NOT_FOUND` for an agent without a mark, `USAGE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust reset',
  summary: 'lower how new an agent was here, and record that it was lowered',
  arguments: ['agent'],
  inputs: {
    agent: needed(text('name or name@variant', { complete: 'none', lists: ['locked'] })),
    /** The oldest version that is accepted from now on; any where this is left out. */
    to: text('the oldest version that is accepted from now on; without it, any version is', {
      placeholder: 'VERSION',
    }),
    reason: text('why, for the record', { placeholder: 'TEXT' }),
    /**
     * The root whose installed agent is forgotten too, if it is newer than what is remembered; the folder `agents` of `home`, and the system's,
     * if left out.
     */
    root: path('forget what is installed in this root, instead of ~/.runloop/agents and the system’s', {
      placeholder: 'DIR',
    }),
    /** Write nothing: fail where it would fail. */
    dryRun: whether('write nothing; show what would be forgotten'),
    audit,
    /** Where it is remembered what was installed; `$RUNLOOP_HOME` or `~/.runloop` where this is left out. */
    home,
  },
  run({ agent, to, reason, root, dryRun, audit, home }, { signal }): Promise<TrustReset> {
    return resetMarks(agent, { to, reason }, { home, root, dryRun, signal, record: recorder(audit) })
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust reset mailer --to 0.9.0 --reason "9.0.0 was a typing error"', 'let 0.9.0 in again'],
    ['rlp trust reset mailer --dry-run', 'which mark there is'],
  ],
  notes:
    'A trusted install raises the mark of the agent. An older version, or the same version with other content, is rolled_back from then on, for every signer. With --to, the version you name becomes the mark, and its content may differ. Without --to, any version can be installed next, even one with a known hole.\n\nAn agent that was installed signed stays one: --allow-unsigned is refused for it, also after a reset.\n\nWhat is installed counts as a mark if the state is older, after a back-up was put back (docs/back-up.md). A reset forgets that too.',
  quiet: ({ agent }, { asked }) => (asked.dryRun ? undefined : [agent]),
  text: (done, { asked, style }) => render(done, asked.dryRun, style),
})

function render({ agent, forgotten, to }: TrustReset, dryRun: boolean, style: Style): string {
  const done = dryRun ? 'would forget' : `${style.green(SYMBOLS.ok)} forgot`
  const lines = forgotten.map(({ version, identity, at }) => {
    const how = identity === null ? 'set by a reset' : 'installed'
    return `${done} ${agent} ${version}, ${how} ${at}`
  })
  lines.push(`  accepted ${dryRun ? 'then' : 'now'}: ${to === undefined ? 'any version' : `${to} and newer`}`)
  return `${lines.join('\n')}\n`
}
