// Everything that is particular to one transport kind, as the rest of the program asks for it. A member's file answers all of it, so that
// nothing else asks which kind a tool has (test/product/architecture.test.ts).

import type { RecordObject } from '../../agent-tool/records.ts'
import type { Field } from '../../model/conversion.ts'
import type { Pointer } from '../../model/document.ts'
import type { Change, PermissionOf, Used } from '../../model/permissions.ts'
import type { Tool } from '../../model/tools.ts'
import type { ActOf, Kind, TransportOf } from '../../model/transports/index.ts'
import type { ReachedHost, UnreadUrl } from '../../policy/host.ts'
import type { Need } from '../../policy/need.ts'
import type { FateRow } from '../fields/field.ts'

export type Json = Readonly<Record<string, unknown>>

/** A text that may hold placeholders. */
export interface TemplateText {
  readonly where: 'url' | 'header' | 'argument'
  readonly text: string
  /** From the tool's entry in tools.json. */
  readonly at: Pointer
}

/** A credential that is written out. */
export interface WrittenCredential {
  /** From the transport. */
  readonly at: Pointer
  readonly what: string
}

export interface TransportKind<K extends Kind = Kind> {
  readonly kind: K
  /** For the person who chooses one. */
  readonly summary: string

  /** From the JSON object of a transport that the schema has accepted. Only its own members count. */
  read(json: Json): TransportOf<K>
  /** Keys in the order in which `tools.json` is written. */
  write(transport: TransportOf<K>): Json
  /** Every text that a call fills, readable or not. */
  templates(transport: TransportOf<K>): readonly TemplateText[]
  /** Whether a condition holds for each of these texts; makes no list of them. */
  everyText(transport: TransportOf<K>, holds: (text: string) => boolean): boolean
  /** Whether a call hands on all of its arguments, beside those that fill templates: as a body, on standard input or in a file. */
  sendsAll(transport: TransportOf<K>): boolean
  /** Where the listed secrets of a tool go: a program gets all, elsewhere a template names each one. */
  readonly secrets:
    | { readonly in: 'environment' }
    | { readonly in: TemplateText['where']; example(id: string): string }
  writtenCredentials(transport: TransportOf<K>): readonly WrittenCredential[]
  /** What to do about one. */
  readonly credentialFix: string

  readonly need: NeedOfKind<K>
  readonly shown: ShownKind<K>
  readonly act: ActOfKind<K>
  readonly record: RecordOfKind<K>
  readonly asked: AskedOfKind<K>
}

interface NeedOfKind<K extends Kind> {
  of(transport: TransportOf<K>): Need
  /** Grants of this family are what it takes. */
  readonly family: 'exec' | 'net'
  /** The key of the transport that says it. */
  readonly key: string
  /** Capability strings that each say this need, the shortest first; empty where the transport cannot be read. */
  words(transport: TransportOf<K>): readonly string[]
  /** The host that is reached; undefined if the kind reaches none. */
  reach(transport: TransportOf<K>): ReachedHost | UnreadUrl | undefined
}

/** For people. */
interface ShownKind<K extends Kind> {
  /** The command line, or method and url, for programs too. */
  target(transport: TransportOf<K>): string
  /** As a user would type it. */
  line(transport: TransportOf<K>): string
  /** What a call changes, after the tool's name; undefined where it only reads. */
  changing(transport: TransportOf<K>): string | undefined
  /** How sure that is: a request may be a search too, and of the start of a program nothing follows. */
  sureness(transport: TransportOf<K>): 'sure' | 'likely' | 'unknown'
  /** What a call deletes by, after the tool's name, if the transport says so itself. */
  deleting(transport: TransportOf<K>): string | undefined
  /** Whether it says that it only reads, to a server that keeps to its words. */
  isReading(transport: TransportOf<K>): boolean
}

/** What an upgrade is compared by. */
interface ActOfKind<K extends Kind> {
  of(tool: Tool & { readonly transport: TransportOf<K> }): ActOf<K>
  /** Members as the state keeps them, beside `kind` and what every kind has. */
  readonly members: readonly string[]
  /** @throws ReadProblem */
  read(table: Json, at: string): ActOf<K>
  /** Who gets the secrets. */
  receiver(act: ActOf<K>): string
  /** Names of the variables that it gets. */
  env(act: ActOf<K>): readonly string[]
  /** @param before of the same kind under the same id */
  widened(before: PermissionOf<K>, tool: PermissionOf<K>): readonly Change[]
  /** @param now of the same kind under the same id */
  narrowed(tool: PermissionOf<K>, now: PermissionOf<K>): readonly Change[]
  /** What a call takes of this host, and how, as a page groups it. */
  uses(act: ActOf<K>): Used
  /** What a call does, for people: `calls GET https://…`, `may run /usr/bin/git status`. */
  does(act: ActOf<K>): string
}

/** In the words of other systems. */
interface RecordOfKind<K extends Kind> {
  /** What a tool of this kind states; the first is how it is called. */
  fields(tool: Tool): readonly Field[]
  /** What becomes of them in each export format. */
  readonly fates: Readonly<Partial<Record<Field, FateRow>>>
  /** The program to start; undefined if the kind starts none. */
  program(
    transport: TransportOf<K>,
  ): { readonly command: string; readonly args: readonly string[] } | undefined
  /** Agent Tool's `tool_kind`, `execution_kind` and access kind. */
  readonly tool: string
  readonly execution: string
  readonly access: string
  readonly reaches: readonly 'network'[]
  /** How the call is carried out. */
  mapping(tool: Tool & { readonly transport: TransportOf<K> }, ref: string): RecordObject
}

/** What is asked of the author of a tool. */
interface AskedOfKind<K extends Kind> {
  readonly questions: readonly AskedAnswer[]
  /** Options that only this kind has; those without a question are handed in as they are. */
  readonly flags: readonly string[]
  /** The answers that say what a transport says. */
  stated(transport: TransportOf<K>): Readonly<Record<string, string>>
  /** @param text the answer to a question, which has accepted it */
  answered(text: (name: string) => string, given: GivenParts): TransportOf<K>
}

interface GivenParts {
  readonly headers: Readonly<Record<string, string>>
}

/** What the questions before it were answered. */
type ToldAnswer = (name: string) => string

export type AskedAnswer = AskedText | AskedChoice

interface AskedAny {
  readonly name: string
  readonly message: string
  /** Where the answer is in the transport, if it is there. */
  readonly at?: Pointer
  /** Asked only of people who want to answer more questions. */
  readonly isRare?: true
}

/** One of a few ways; a person sees where each leads. */
interface AskedChoice extends AskedAny {
  readonly fallback: string
  choices(
    told: ToldAnswer,
  ): readonly { readonly value: string; readonly label: string; readonly hint: string }[]
}

interface AskedText extends AskedAny {
  readonly fallback?: string
  readonly example?: string
  readonly takesDash?: true
  check(text: string): string | undefined
  /** What an accepted answer leads to. */
  advise?(text: string, told: ToldAnswer): string | undefined
}
