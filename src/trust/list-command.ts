// rlp trust list: the signers that count here, what each may grant, and what is revoked, each with file and line.
import { resolve } from 'node:path'
import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { identityString } from '../format/trust/identity-string.ts'
import { placedRequirements } from '../format/trust/requirements/index.ts'
import { expandHome } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import type { PolicySource, TrustPolicy } from '../model/trust.ts'
import { readTrustPolicies } from './read-trust.ts'
import { renderPolicy } from './render-policy.ts'
import { placedRules } from './rule.ts'
import { asOf } from './valid-until.ts'

export const command = defineCommand({
  name: 'trust list',
  summary: 'show whose signatures count, and what each signer may grant',
  options: {
    'trust-policy': {
      type: 'string',
      placeholder: 'FILE',
      describe: 'in place of ~/.runloop/trust-policy.toml; the system’s still applies',
    },
  },
  examples: [
    ['rlp trust list', 'all policies that apply, with lines'],
    ['rlp trust list --json', 'for a program'],
  ],
  notes:
    'Where there are two policies, the system’s and the user’s, a bundle has to pass both.\n\nExit code 3: a policy is malformed, others may write it, or its valid_until is past. It decides nothing until that is corrected.',
  async run(args, io) {
    const given = args.trustPolicy && resolve(io.cwd, expandHome(args.trustPolicy))
    const now = new Date()
    const sources = await readTrustPolicies(given ? { given } : {})
    report(io, args, {
      tool: 'trust.list',
      result: { policies: sources.map(toJson) },
      text: () =>
        sources.map(source => renderPolicy(source, now, createStyle(io.color), io.columns)).join('\n'),
    })
    if (sources.length === 0)
      note(io, args, 'There is no trust policy: no signature counts. rlp trust add begins one')
    return sources.some(source => asOf(source, now).policy === undefined) ? EXIT.machine : EXIT.ok
  },
})

function toJson({ path, role, digest, policy, problems, lineOf }: PolicySource) {
  const about = { path, role, digest: digest ?? null, problems }
  return policy === undefined ? { ...about, policy: null } : { ...about, policy: contentOf(policy, lineOf) }
}

function contentOf(policy: TrustPolicy, lineOf: PolicySource['lineOf']) {
  const line = (...pointer: (string | number)[]) => lineOf(pointer) ?? null
  const revoked = (prefix: string, all: TrustPolicy['revokedKeys']) =>
    [...all].map(([what, { since, reason, replacedBy }]) => ({
      what: prefix + what,
      since: since ?? null,
      reason: reason ?? null,
      replacedBy: replacedBy ?? null,
      line: line('revoked', prefix + what),
    }))
  return {
    validUntil: policy.validUntil ?? null,
    ...(policy.trustedRoot && { trustedRoot: policy.trustedRoot }),
    anchors: policy.anchors.map(({ name, keys, allowDev, use, ...more }) => {
      const rules = rulesOf(policy, name, line)
      const signer = more.identity && identityString(more.identity)
      const about = { name, keys, allowDev, use, ...more, ...(signer && { signer }) }
      return { ...about, line: line('anchors', name), rules }
    }),
    groups: policy.groups.map(group => ({
      ...group,
      line: line('groups', group.name),
      rules: rulesOf(policy, group.name, line),
    })),
    require: requireOf(policy.require, line),
    floors: [...policy.floors].map(([agents, version]) => ({
      ...{ agents, version },
      line: line('floors', agents),
    })),
    revoked: [...revoked('', policy.revokedKeys), ...revoked('blake3:', policy.revokedBundles)],
  }
}

type LineOf = (...pointer: (string | number)[]) => number | null

function rulesOf({ rules }: TrustPolicy, name: string, line: LineOf) {
  const all = rules.get(name)
  return (all === undefined ? [] : placedRules(name, all)).map(({ rule: { agents, ...rule }, at }) => {
    return { ...rule, agents: agents ?? null, line: line(...at) }
  })
}

/** As the file has it: one table, or a list. */
function requireOf(require: TrustPolicy['require'], line: LineOf) {
  const placed = placedRequirements(require).map(({ entry, at }) => ({ ...entry, line: line(...at) }))
  return require === undefined ? null : Array.isArray(require) ? placed : placed[0]
}
