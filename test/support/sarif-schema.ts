// The parts of SARIF 2.1.0 (OASIS, errata 01) that rlp writes, as a closed JSON Schema: a member that the standard does not have in this
// place, or has with another type, is an error here. The public schema leaves some of that open; the test holds against both.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

type Schema = { readonly [keyword: string]: unknown }

const TEXT = { type: 'string' }
const COUNT = { type: 'integer', minimum: 0 }
const PLACE = { type: 'integer', minimum: 1 }
const LEVEL = { enum: ['none', 'note', 'warning', 'error'] }
/** A property bag is open, but its tags are distinct words. */
const BAG = {
  type: 'object',
  properties: { tags: { type: 'array', uniqueItems: true, items: TEXT } },
}
const URI_REFERENCE = { type: 'string', pattern: "^(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-F]{2})*$" }

/** An object with these members and no others; a name that ends in `!` must be there. */
function object(members: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(members)
  return {
    type: 'object',
    additionalProperties: false,
    required: names.filter(name => name.endsWith('!')).map(name => name.slice(0, -1)),
    properties: Object.fromEntries(
      Object.entries(members).map(([name, schema]) => [name.replace('!', ''), schema]),
    ),
  }
}

const list = (items: Schema, unique = false): Schema => ({ type: 'array', items, uniqueItems: unique })

const MESSAGE = object({ 'text!': TEXT, markdown: TEXT })
const ARTIFACT = object({ uri: URI_REFERENCE, uriBaseId: TEXT, description: MESSAGE })
const REGION = object({ 'startLine!': PLACE, startColumn: PLACE, endLine: PLACE, endColumn: PLACE })
const LOCATION = object({
  id: COUNT,
  message: MESSAGE,
  physicalLocation: object({ 'artifactLocation!': ARTIFACT, region: REGION }),
})
const CONFIGURATION = object({ enabled: { type: 'boolean' }, level: LEVEL })
const DESCRIPTOR = object({ 'id!': TEXT, index: COUNT })
const RULE = object({
  'id!': TEXT,
  shortDescription: MESSAGE,
  fullDescription: MESSAGE,
  help: MESSAGE,
  defaultConfiguration: CONFIGURATION,
  properties: BAG,
})
const NOTIFICATION = object({
  'message!': MESSAGE,
  level: LEVEL,
  descriptor: DESCRIPTOR,
  locations: list(LOCATION, true),
})
const INVOCATION = object({
  'executionSuccessful!': { type: 'boolean' },
  exitCode: { type: 'integer' },
  ruleConfigurationOverrides: list(
    object({ 'configuration!': CONFIGURATION, 'descriptor!': DESCRIPTOR }),
    true,
  ),
  toolExecutionNotifications: list(NOTIFICATION),
})
const SUPPRESSION = object({
  'kind!': { enum: ['inSource', 'external'] },
  status: { enum: ['accepted', 'underReview', 'rejected'] },
  justification: TEXT,
  properties: BAG,
})
const RESULT = object({
  ruleId: TEXT,
  ruleIndex: COUNT,
  kind: { enum: ['notApplicable', 'pass', 'fail', 'review', 'open', 'informational'] },
  level: LEVEL,
  'message!': MESSAGE,
  locations: list(LOCATION),
  relatedLocations: list(LOCATION, true),
  partialFingerprints: { type: 'object', additionalProperties: TEXT },
  suppressions: list(SUPPRESSION, true),
  properties: BAG,
})
const RUN = object({
  'tool!': object({
    'driver!': object({
      'name!': TEXT,
      version: TEXT,
      semanticVersion: TEXT,
      language: { type: 'string', pattern: '^[a-zA-Z]{2}(-[a-zA-Z]{2})?$' },
      rules: list(RULE, true),
    }),
  }),
  invocations: list(INVOCATION),
  originalUriBaseIds: { type: 'object', additionalProperties: ARTIFACT },
  columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
  'results!': list(RESULT),
})

const SARIF_SUBSET: Schema = object({
  $schema: { type: 'string', pattern: '^https://' },
  'version!': { const: '2.1.0' },
  'runs!': list(RUN),
})

/** The public schema of SARIF 2.1.0, as Microsoft's own checker carries it; `RLP_SARIF_SCHEMA` names another copy. */
const STANDARD =
  process.env['RLP_SARIF_SCHEMA'] ?? 'node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'

type Validator = ReturnType<Ajv['compile']>
let validators: readonly Validator[] | undefined

/** The public schema, and {@link SARIF_SUBSET}. Made once, because the public one takes long. */
function sarifValidators(): readonly Validator[] {
  if (validators !== undefined) return validators
  // It says draft 4, but nothing in it reads otherwise in draft 7.
  const { $schema: _dialect, id: _id, ...standard } = JSON.parse(readFileSync(STANDARD, 'utf8'))
  const isStandard = new Ajv({
    strict: false,
    validateFormats: false,
    unicodeRegExp: false,
    // Shorter code takes longer to make than it saves here.
    code: { optimize: false },
  }).compile(standard)
  const isSubset = new Ajv2020({ allErrors: true, strict: false }).compile(SARIF_SUBSET)
  validators = [isStandard, isSubset]
  return validators
}

/** Whether the public schema accepts it. */
export function isStandardSarif(log: unknown): boolean {
  return sarifValidators()[0]?.(log) === true
}

/** The log in a text that both schemas accept. */
export function assertSarif<Log>(text: string): Log {
  const log: unknown = JSON.parse(text)
  for (const fits of sarifValidators()) assert.ok(fits(log), JSON.stringify(fits.errors?.slice(0, 5)))
  return log as Log
}
