// The rules for a tools.json of agentcli, which `src/lint/lint-file.ts` runs on such a file, and the list of every rule of lint with them:
// for settings, reports and lists.

import { RULES } from './index.ts'
import type { Rule } from './rule.ts'

/** The description of a rule. */
type AgentcliRule = Pick<Rule, 'severity' | 'scope' | 'summary' | 'why' | 'fix'> & {
  readonly id: `agentcli/${string}`
}

/** In order of importance. `load` is the one error that agentcli itself reports. */
export const AGENTCLI_RULES = {
  load: {
    id: 'agentcli/load',
    severity: 'error',
    scope: 'source',
    summary: 'agentcli does not load the file',
    why: 'The message is agentcli’s own. It stops at the first problem, and no tool of the file is offered to the model.',
    fix: 'Correct what the message names, then check again: the next problem shows only then.',
  },
  'duplicate-key': {
    id: 'agentcli/duplicate-key',
    severity: 'warning',
    scope: 'source',
    summary: 'a key appears twice',
    why: 'The last value counts for agentcli and the first for others: what a reviewer saw need not be what runs.',
    fix: 'Remove one of the two.',
  },
  text: {
    id: 'agentcli/text',
    severity: 'warning',
    scope: 'source',
    summary: 'a text or number that other readers refuse or read otherwise',
    why: 'Bytes that are no UTF-8, numbers beyond 2^53 and lone surrogates come out differently from one reader to the next.',
    fix: 'Write a value that every reader reads alike.',
  },
  key: {
    id: 'agentcli/key',
    severity: 'warning',
    scope: 'source',
    summary: 'a key that is misspelt or unknown',
    why: 'Keys are read in any case, and all others passed over without a word: a misspelt one has no effect.',
    fix: 'Write the key as the page spells it, or remove it.',
  },
  program: {
    id: 'agentcli/program',
    severity: 'warning',
    scope: 'source',
    summary: 'a program that is not written ./tools/bin/…',
    why: 'The page asks for ./tools/bin/NAME; that other spellings of the same path are accepted is an accident of the code.',
    fix: 'Write ./tools/bin/ and the name.',
  },
  name: {
    id: 'agentcli/name',
    severity: 'warning',
    scope: 'source',
    summary: 'a name that cannot be a function’s name',
    why: 'OpenAI takes letters, digits, _ and -, at most 64. agentcli takes anything, and the request fails later.',
    fix: 'Use letters, digits, _ and - only, at most 64.',
  },
  description: {
    id: 'agentcli/description',
    severity: 'warning',
    scope: 'source',
    summary: 'a tool without a description',
    why: 'A model chooses tools by their descriptions; the bundle’s own format requires one.',
    fix: 'Say in a sentence what the tool does, and when to use it.',
  },
  schema: {
    id: 'agentcli/schema',
    severity: 'warning',
    scope: 'source',
    summary: 'a schema that a model’s provider would refuse',
    why: 'Any JSON is passed on as parameters without a look. Providers want a JSON Schema of an object.',
    fix: 'Write a JSON Schema with "type": "object".',
  },
  env: {
    id: 'agentcli/env',
    severity: 'warning',
    scope: 'source',
    summary: 'a variable that is written oddly, or that changes which code runs',
    why: 'Names are trimmed and upper-cased on the way. LD_PRELOAD, PYTHONPATH and their like load other code into the program.',
    fix: 'Write the name in capitals, once; leave out what loads code.',
  },
  timeout: {
    id: 'agentcli/timeout',
    severity: 'warning',
    scope: 'source',
    summary: 'a time limit that has no effect',
    why: 'Only numbers above 0 are limits; with any other the default counts.',
    fix: 'Write the seconds, or leave the key out.',
  },
  output: {
    id: 'agentcli/output',
    severity: 'info',
    scope: 'source',
    summary: 'what the programs print is not checked',
    why: 'Each must print one line of JSON. Only a run can show that, and lint runs nothing.',
    fix: 'Test each program.',
  },
} as const satisfies Record<string, AgentcliRule>

/** The description of a rule. */
type DescribedRule = Pick<Rule, 'severity' | 'scope' | 'summary' | 'why' | 'fix'> & {
  readonly id: string
  readonly isOptIn?: true
  readonly autofix?: unknown
}

export const DESCRIBED_RULES: readonly DescribedRule[] = [...RULES, ...Object.values(AGENTCLI_RULES)]
