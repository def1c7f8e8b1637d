// The parts of an agent that rules look at, each with the facts that several rules need, and the documents that a rule needs to be sound.
// While one of these is broken, what the rule would say could be wrong, so lint does not ask it.
import { type AgentToolRecord, INTERFACES_FILE } from '../agent-tool/records.ts'
import { added } from '../model/added.ts'
import { type Agent, type Artifact, MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { Pointer } from '../model/document.ts'
import type { FileEntry } from '../model/files.ts'
import type { Tool } from '../model/tools.ts'
import type { Kind, TransportOf } from '../model/transports/index.ts'
import type { ReachedHost, UnreadUrl } from '../policy/host.ts'
import type { Need } from '../policy/need.ts'
import { needsOf } from '../policy/needs.ts'
import { hasInputsOnly, type Placeholder, readTemplate, type TemplatePart } from '../tools/template.ts'
import { findInput, type InputFact } from '../tools/template-input.ts'
import { TRANSPORT_KINDS, transportKind } from '../tools/transports/index.ts'
import type { TemplateText } from '../tools/transports/kind.ts'
import type { SecretInFile } from './find-secrets.ts'
import { type PolicyList, rawTools, type SecretPlace } from './rules/agent-parts.ts'
import { once } from './rules/once.ts'
import type { SchemaReference } from './rules/schema-refs.ts'
import type { AgentSchema } from './rules/schemas.ts'
import type { AgentEntry } from './rules/wasm-entries.ts'

/** The tools of each kind of transport. */
type ToolsOfKinds = { readonly [K in Kind]: ToolSubject<K> }

/** The kinds of parts. A rule gets each part together with its agent. */
export interface Subjects extends ToolsOfKinds {
  /** The whole agent, once, after everything else: for rules that compare its parts. */
  readonly agent: Whole
  /** A tool of tools.json. */
  readonly tool: ToolSubject
  /** A schema of a tool, a file of `schemas/`, or the manifest's settings. */
  readonly schema: { readonly agent: Agent; readonly schema: AgentSchema }
  /** A `$ref` in such a schema, with what it leads to. */
  readonly reference: { readonly agent: Agent; readonly reference: SchemaReference }
  /** The id of a secret, at the first place that names it. */
  readonly secret: { readonly agent: Agent; readonly secret: SecretPlace }
  /** A list of policy.caps. */
  readonly grant: { readonly agent: Agent; readonly list: PolicyList }
  /** A file that the manifest names. */
  readonly artifact: { readonly agent: Agent; readonly artifact: Artifact }
  /** A file that the manifest names as an entry; one that it names twice comes once. */
  readonly entry: { readonly agent: Agent; readonly entry: AgentEntry }
  /** A file of the folder or bundle. */
  readonly file: { readonly agent: Agent; readonly file: FileEntry }
  /** A record of interfaces.json that its schema accepts. */
  readonly record: { readonly agent: Agent; readonly record: AgentToolRecord }
}

export type Looks = keyof Subjects

/** What the rules for authors are told beside the agent: a program has to be loaded for it, which no rule can wait for. */
export interface Prepared {
  /** Credentials in the files. */
  readonly secrets: readonly SecretInFile[]
  /** The files that git leaves out of the checkout that the agent is in. */
  readonly ignored: readonly string[]
}

export interface Whole {
  readonly agent: Agent
  readonly prepared: Prepared
}

/** A text of a tool with placeholders in it, and its parts in order. */
interface ReadTemplate {
  readonly template: TemplateText
  readonly parts: readonly TemplatePart[]
}

/** A text of a tool with a placeholder in it. */
interface ToolPlaceholder {
  readonly template: TemplateText
  readonly part: Placeholder
}

/** A placeholder for a value of the call, with what the input schema says of the value. */
interface InputPlaceholder {
  readonly template: TemplateText
  /** As it is written. */
  readonly text: string
  readonly fact: InputFact
}

/** A tool, with facts that are found out when the first rule asks for them. */
export class ToolSubject<K extends Kind = Kind> {
  readonly agent: Agent
  readonly index: number
  readonly tool: Tool & { readonly transport: TransportOf<K> }
  /** From the root of tools.json. */
  readonly at: Pointer
  #reach: ReachedHost | UnreadUrl | undefined
  #hasInputsOnly: boolean | undefined
  #read: readonly ReadTemplate[] | undefined
  #templates: readonly TemplateText[] | undefined
  #placeholders: readonly ToolPlaceholder[] | undefined
  #inputs: readonly InputPlaceholder[] | undefined
  #needs: readonly Need[] | undefined

  constructor(agent: Agent, index: number, tool: Tool & { readonly transport: TransportOf<K> }) {
    this.agent = agent
    this.index = index
    this.tool = tool
    this.at = ['tools', index]
  }

  /** As tools.json has it, for rules to which an absent key differs from one with the default value. */
  get written(): object {
    return rawTools(this.agent.documents.get(TOOLS_FILE)?.value)[this.index] ?? {}
  }

  /** Undefined if its kind reaches no host. */
  get reach(): ReachedHost | UnreadUrl | undefined {
    const { transport } = this.tool
    this.#reach ??= transportKind(transport).need.reach(transport)
    return this.#reach
  }

  /** Where a rule looks for placeholders. A url with an unreadable host is left out: another rule reports it. */
  get templates(): readonly TemplateText[] {
    this.#templates ??= this.#findTemplates()
    return this.#templates
  }

  /** Whether its only placeholders are well-formed ones for values of the call: most tools have no others, and no rule has to read them. */
  get hasInputsOnly(): boolean {
    const { transport } = this.tool
    this.#hasInputsOnly ??= transportKind(transport).everyText(transport, hasInputsOnly)
    return this.#hasInputsOnly
  }

  /** The templates with a placeholder in them. Each is read once, for all rules. */
  get readTemplates(): readonly ReadTemplate[] {
    this.#read ??= this.#readTemplates()
    return this.#read
  }

  /** In the order of the templates. */
  get placeholders(): readonly ToolPlaceholder[] {
    this.#placeholders ??= this.#listPlaceholders()
    return this.#placeholders
  }

  /** Those for values of the call. */
  get inputs(): readonly InputPlaceholder[] {
    this.#inputs ??= this.#listInputs()
    return this.#inputs
  }

  /** The capabilities that it lists, and those that its transport implies. */
  get needs(): readonly Need[] {
    this.#needs ??= needsOf(this.tool)
    return this.#needs
  }

  /** The value of a file of the agent, for what looks up references. */
  get fileAt(): (path: string) => unknown {
    return fileAtIn(this.agent)
  }

  #readTemplates(): readonly ReadTemplate[] {
    const { transport } = this.tool
    if (transportKind(transport).everyText(transport, hasNoPlaceholder)) return NONE
    let read: ReadTemplate[] | undefined
    for (const template of this.templates)
      if (!hasNoPlaceholder(template.text))
        read = added(read, { template, parts: readTemplate(template.text) })
    return read ?? NONE
  }

  #listPlaceholders(): readonly ToolPlaceholder[] {
    if (this.readTemplates.length === 0) return NONE
    let found: ToolPlaceholder[] | undefined
    for (const { template, parts } of this.readTemplates)
      for (const part of parts) if (part.kind !== 'text') found = added(found, { template, part })
    return found ?? NONE
  }

  #listInputs(): readonly InputPlaceholder[] {
    if (this.placeholders.length === 0) return NONE
    let found: InputPlaceholder[] | undefined
    for (const { template, part } of this.placeholders)
      if (part.kind === 'input') {
        const fact = findInput(this.tool, part.path, this.fileAt)
        found = added(found, { template, text: part.text, fact })
      }
    return found ?? NONE
  }

  #findTemplates(): readonly TemplateText[] {
    const { reach } = this
    const { transport } = this.tool
    const all = transportKind(transport).templates(transport)
    const isUnread = reach !== undefined && 'problem' in reach
    return isUnread ? all.filter(({ where }) => where !== 'url') : all
  }
}

const NONE: readonly never[] = []

const fileAtIn = once(
  ({ documents }: Agent) =>
    (path: string): unknown =>
      documents.get(path)?.value,
)

function hasNoPlaceholder(text: string): boolean {
  return !text.includes('{{')
}

/** The files of `schemas/`, all together. */
export const SCHEMA_FOLDER = 'schemas/'

/**
 * `readable`: its text is JSON or TOML. `parts`: some of its tools or records are as their schema says; the rule looks at those. `sound`:
 * the whole document is.
 */
export type NeededState = 'readable' | 'parts' | 'sound'

/** By path, what a rule needs of a document. */
export type Needs = Readonly<
  Partial<
    Record<
      | typeof MANIFEST_FILE
      | typeof POLICY_FILE
      | typeof TOOLS_FILE
      | typeof INTERFACES_FILE
      | typeof SCHEMA_FOLDER,
      NeededState
    >
  >
>

const TOOL_NEEDS: Needs = { [TOOLS_FILE]: 'parts' }

/** What the rules need that look at parts of one kind. */
export const NEEDS_OF_LOOKS: Readonly<Record<Looks, Needs>> = {
  agent: {},
  file: {},
  secret: {},
  schema: {},
  reference: {},
  tool: TOOL_NEEDS,
  ...(Object.fromEntries(TRANSPORT_KINDS.map(kind => [kind, TOOL_NEEDS])) as Readonly<Record<Kind, Needs>>),
  grant: { [POLICY_FILE]: 'sound' },
  artifact: { [MANIFEST_FILE]: 'readable' },
  entry: { [MANIFEST_FILE]: 'readable' },
  record: { [INTERFACES_FILE]: 'parts' },
}
