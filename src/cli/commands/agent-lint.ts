// rlp agent lint: findings, with place and fix.
import { join } from 'node:path'
import type { Target } from '../../io/find-agents.ts'
import { readTree } from '../../io/read-tree.ts'
import { entryAt, writeAtomic } from '../../io/write-atomic.ts'
import { fixes, lint } from '../../lint.ts'
import { RlpError } from '../../model/error.ts'
import { read } from '../../read.ts'
import { defineCommand, type GlobalArgs, type Io } from '../command.ts'
import { each, failuresOf, printFailures, worstExit } from '../each.ts'
import { EXIT } from '../exit-code.ts'
import { type Linted, renderFindings, summary } from '../render/findings.ts'
import { note, report } from '../render/report.ts'
import { createStyle } from '../render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../targets.ts'

export const command = defineCommand({
  name: 'agent lint',
  summary: 'check manifest, policy, tools and schemas, and that they agree',
  positionals: [AGENT_PATHS],
  options: {
    ...AGENT_OPTIONS,
    strict: { type: 'boolean', describe: 'exit 1 on warnings too' },
    fix: { type: 'boolean', describe: 'apply the fixes that are safe' },
    rules: { type: 'boolean', describe: 'list every rule and stop' },
  },
  examples: [
    ['rlp agent lint', 'all agents in ./agents'],
    ['rlp agent lint agents/mailer --strict', 'one agent, warnings count'],
    ['rlp agent lint mailer --json', 'for a program'],
  ],
  notes:
    'Exit code 0: no errors (and with --strict no warnings). 1: there are. --quiet shows errors only.\n\nWith --fix nothing is changed that could change what an agent may do.',
  async run(args, io) {
    if (args.rules) return listRules(args, io)
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd })
    const { done, failed } = await each(targets, async target => {
      if (args.fix) await fix(target, args, io)
      return lintOne(target, io)
    })
    const linted = args.quiet ? done.map(onlyErrors) : done
    report(io, args, {
      tool: 'agent.lint',
      result: {
        agents: done.map(({ agent, findings }) => ({
          agent: agent.label,
          name: agent.manifest?.name ?? null,
          version: agent.manifest?.version ?? null,
          findings,
        })),
        ...(failed.length > 0 && { failed: failuresOf(failed) }),
      },
      text: () => {
        const style = createStyle(io.color)
        return linted.map(one => renderFindings(one, style, io.columns)).join('')
      },
    })
    await printFailures(io, args, failed)
    note(io, args, summary(done))
    const isBad = (one: Linted) =>
      one.findings.some(({ severity }) => severity === 'error' || (args.strict && severity === 'warning'))
    return worstExit([done.some(isBad) ? EXIT.bundle : EXIT.ok], failed)
  },
})

async function lintOne(target: Target, io: Io): Promise<Linted> {
  const files = await readTree(target.path, target.label, { as: 'source', digest: 'all', signal: io.signal })
  const agent = read(files, target.label)
  return { agent, findings: lint(agent) }
}

async function fix(target: Target, args: GlobalArgs, io: Io): Promise<void> {
  const files = await readTree(target.path, target.label, { as: 'source', digest: 'all', signal: io.signal })
  for (const { path, text, what } of fixes(read(files, target.label))) {
    const label = `${target.label}/${path}`
    await writeAtomic(join(target.path, path), Buffer.from(text), {
      label,
      signal: io.signal,
      before: async () => {
        if (await entryAt(join(target.path, path))) {
          throw new RlpError('CHANGED_WHILE_READING', `Cannot fix "${label}": it appeared meanwhile`)
        }
      },
    })
    note(io, args, `fixed ${label}: ${what}`)
  }
}

function onlyErrors({ agent, findings }: Linted): Linted {
  return { agent, findings: findings.filter(({ severity }) => severity === 'error') }
}

async function listRules(args: GlobalArgs, io: Io) {
  const { RULES } = await import('../../rules/index.ts')
  const rules = RULES.map(({ id, severity, scope, summary, why, fix, autofix }) => ({
    id,
    severity,
    scope,
    summary,
    why,
    fix,
    autofix: autofix !== undefined,
  }))
  const wide = Math.max(...rules.map(({ id }) => id.length))
  report(io, args, {
    tool: 'agent.lint',
    result: { rules },
    text: () =>
      rules
        .map(({ id, severity, summary }) => `${id.padEnd(wide)}  ${severity.padEnd(7)}  ${summary}\n`)
        .join(''),
  })
  return EXIT.ok
}
