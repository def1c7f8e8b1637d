// The parts of SARIF 2.1.0 (OASIS, errata 01) that rlp writes, as a closed JSON Schema: a member that the standard does not have in this
// place, or has with another type, is an error here. The public schema leaves some of that open; the test holds against both.

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
const LOCATION = object({ physicalLocation: object({ 'artifactLocation!': ARTIFACT, region: REGION }) })
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

export const SARIF_SUBSET: Schema = object({
  $schema: { type: 'string', pattern: '^https://' },
  'version!': { const: '2.1.0' },
  'runs!': list(RUN),
})
