// Ids of tools → names that another system accepts (mapping: "." becomes "__"). One id always gets the same name in one agent.
import { blake3Hex } from '../../bundle/blake3.ts'

export interface NameRule {
  /** Matches one character that a name may not have. */
  readonly odd: RegExp
  readonly longest: number
  /** For people: what becomes of odd characters. */
  readonly told: string
}

/** Function names of OpenAI: letters, digits, "_" and "-". */
export const OPENAI_NAMES: NameRule = {
  odd: /[^A-Za-z0-9_-]/gu,
  longest: 64,
  told: '"." becomes "__", other characters "_"',
}
export const MCP_NAMES: NameRule = {
  odd: /[^A-Za-z0-9_.-]/gu,
  longest: 128,
  told: 'characters other than letters, digits and _ . - become "_"',
}

/** Hex digits of the id's digest that separate equal names. */
const MARK = 8

/**
 * Id → name. Valid names stay, and no other tool gets one of them. A name that is cut, or that equals another one, ends in a digest of
 * its id.
 */
export function namesFor(ids: readonly string[], { odd, longest }: NameRule): ReadonlyMap<string, string> {
  const fits = (id: string) => id.length <= longest && !new RegExp(odd.source, 'u').test(id)
  const names = new Map(ids.filter(fits).map(id => [id, id]))
  const taken = new Set(names.keys())
  for (const id of ids) {
    if (names.has(id)) continue
    const plain = id.replace(odd, character => (character === '.' ? '__' : '_'))
    let name = plain
    for (let round = 0; name.length > longest || taken.has(name); round++) {
      const mark = blake3Hex(new TextEncoder().encode(`${round}${id}`)).slice(0, MARK)
      name = `${plain.slice(0, longest - MARK - 1)}_${mark}`
    }
    taken.add(name)
    names.set(id, name)
  }
  return names
}
