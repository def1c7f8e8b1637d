// What a caller of the library says of a signer to add, in the words of the tables of a policy → the same, read by the rules of the file.
import { parseJson } from '../json/parse.ts'
import { UsageError } from '../model/error.ts'
import { own, ownMembers } from '../model/own.ts'
import type { IdentityTable, RuleTable } from '../model/trust-table.ts'
import { type Table, TableReader } from '../toml/closed-table.ts'
import type { AnchorAsked } from '../trust-policy/anchor-fields/field.ts'
import { ANCHOR_FIELDS } from '../trust-policy/anchor-fields/index.ts'
import { IDENTITY_NAMES, type IdentityTexts, identityProblems } from '../trust-policy/identity-members.ts'
import { RULE_FIELDS, type RuleRequest } from '../trust-policy/rule-fields/index.ts'

export interface SignerGiven {
  /** What the signer may grant, in addition to what is there; a signer without a rule can approve, and grants nothing. */
  readonly rule?: RuleTable
  /** In place of a key. With `for` a part of one is enough, which chooses among those that have signed the bundle. */
  readonly identity?: Partial<IdentityTable>
  /** What the signatures are for; bundles where this is left out. */
  readonly use?: readonly ('sign' | 'attest')[]
  /** A UTC second, after which the signer does not count. */
  readonly until?: string
  /** The signer counts only with `allowDev`. */
  readonly dev?: boolean
}

/**
 * @param isOpen a part of an identity is enough
 * @throws UsageError
 */
export function signerAsked(given: SignerGiven, isOpen: boolean) {
  const { rule, identity, use, until, dev } = given
  const said = parseJson('', new TextEncoder().encode(JSON.stringify({ rule, identity, use, until, dev })))
  if (!said.ok) throw new UsageError(`Cannot add a signer: ${said.problem.message}`)
  const reader = new TableReader(said.document)
  const table = ownMembers(said.document.value as Table)
  const texts = readIdentityTexts(reader, table, isOpen)
  const asked = {
    texts,
    identity: !isOpen && texts.issuer !== undefined ? { ...texts, issuer: texts.issuer } : undefined,
    rule: readRequest(reader, table),
    anchor: readAnchor(reader, table),
  }
  const [problem] = reader.problems
  if (problem === undefined) return asked
  const [field = '', ...place] = problem.pointer.map(String)
  const where = place.length === 0 ? '' : ` (${place.join('.')})`
  throw new UsageError(`Cannot use ${field}${where}: ${problem.message}`, { field })
}

function readIdentityTexts(reader: TableReader, said: Table, isOpen: boolean): IdentityTexts {
  const table = reader.table(said['identity'], ['identity'])
  reader.closed(table, IDENTITY_NAMES, ['identity'])
  const names = IDENTITY_NAMES.filter(name => own(table, name) !== undefined)
  const texts: IdentityTexts = Object.fromEntries(
    names.flatMap(name => {
      const text = reader.text(own(table, name), ['identity', name])
      return text === undefined ? [] : [[name, text]]
    }),
  )
  if (!isOpen && names.length > 0)
    for (const { name, message } of identityProblems(names, texts))
      reader.wrong(name === undefined ? ['identity'] : ['identity', name], message)
  return texts
}

/** Only what is said: what is left out asks for nothing. */
function readRequest(reader: TableReader, said: Table): RuleRequest | undefined {
  if (said['rule'] === undefined) return undefined
  const table = reader.table(said['rule'], ['rule'])
  const fields = Object.entries(RULE_FIELDS)
  reader.closed(
    table,
    fields.map(([, { key }]) => key),
    ['rule'],
  )
  const request = fields.flatMap(([name, { key, read }]) => {
    const value = own(table, key)
    return value === undefined ? [] : [[name, read(reader, value, ['rule', key])]]
  })
  return request.length === 0 ? undefined : (Object.fromEntries(request) as RuleRequest)
}

function readAnchor(
  reader: TableReader,
  { use, until, dev }: Table,
): Omit<AnchorAsked, 'key' | 'identity' | 'isFurtherKey'> {
  const end = reader.second(until, ['until'])
  return {
    ...(use !== undefined && { use: ANCHOR_FIELDS.use.read(reader, { use }, []) }),
    ...(end !== undefined && { until: end }),
    ...(reader.flag(dev, ['dev']) && { allowDev: true }),
  }
}
