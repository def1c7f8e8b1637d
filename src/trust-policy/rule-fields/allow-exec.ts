// allow_exec: programs that a signer may grant (docs/spec/trust-policy.md, K-30).
import { isProgramPath } from '../../policy/program-path.ts'
import { type GrantField, textList } from './field.ts'

const list = textList(
  text => (isProgramPath(text) ? undefined : 'it is not the absolute path of a program'),
  'it must be true, false or a list',
)

const ANY = 'any program'

export const allowExec = {
  decides: 'what',
  key: 'allow_exec',
  none: false,
  read: (reader, value, at) =>
    value === undefined || typeof value === 'boolean' ? value === true : list.read(reader, value, at),
  literal: value => (typeof value === 'boolean' ? String(value) : list.literal(value)),
  typed(given, refuse) {
    if (!Array.isArray(given) || !given.includes('any')) return list.typed(given, refuse)
    if (given.length > 1) throw refuse('"any" excludes other values')
    return true
  },
  grown(old, more) {
    if (typeof old === 'boolean' || typeof more === 'boolean')
      return old === true || more === true || old || more
    return list.grown(old, more)
  },
  isWide: value => value === true,
  flag: 'allow-exec',
  option: {
    type: 'strings',
    placeholder: 'PROGRAM',
    describe: 'programs on the host, as /usr/bin/jq; or any',
  },
  shown: value =>
    typeof value === 'boolean' ? (value ? ANY : '') : value.map(program => `exec:${program}`).join(', '),
  allows: value => {
    const programs = new Set(typeof value === 'boolean' ? [] : value)
    return ({ family, scope }) =>
      family !== 'exec' || value === true || (scope !== undefined && programs.has(scope))
  },
  more(value, than) {
    if (than === true || value === false) return []
    if (value === true) return [ANY]
    return value
      .filter(program => than === false || !than.includes(program))
      .map(program => `exec:${program}`)
  },
  askedBy(grants) {
    const asked = grants.filter(({ family }) => family === 'exec')
    if (asked.some(({ scope }) => scope === undefined)) return true
    return asked.length > 0 && asked.flatMap(({ scope }) => scope ?? [])
  },
  unsaid: () => [],
} as const satisfies GrantField<boolean | readonly string[]>
