// Reads a regular expression into a tree, for a matcher without backtracking. It accepts what `new RegExp(pattern, 'u')` does; the engine still
// judges single characters. What only a newer engine accepts is refused, so that no verdict depends on the engine.
export type PatternTree =
  /** One character, in the pattern's spelling: `a`, `.`, `\d`, `[^x]`. */
  | { readonly is: 'character'; readonly source: string }
  | { readonly is: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly is: 'choice'; readonly parts: readonly PatternTree[] }
  /** `most` is Infinity if there is no limit. */
  | { readonly is: 'repeat'; readonly part: PatternTree; readonly least: number; readonly most: number }
  | { readonly is: 'place'; readonly place: PatternPlace }
  | { readonly is: 'look'; readonly part: PatternTree; readonly ahead: boolean; readonly negated: boolean }

export type PatternPlace = 'start' | 'end' | 'boundary' | 'inside'

/** Groups within groups; the reader recurses for each. */
const MOST_GROUPS = 100

/** Why a pattern cannot be followed without backtracking, or is too large. */
export class PatternProblem extends Error {
  override readonly name = 'PatternProblem'
}

/**
 * @param pattern one that `checkPattern` has accepted
 * @throws PatternProblem for references back to a group, and for deep nesting and unknown syntax
 */
export function readPattern(pattern: string): PatternTree {
  return new PatternReader(pattern).choice(0)
}

/** Two escaped halves are one character. */
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/suy
const CLASS = /\[(?:\\.|[^\]\\])*\]/uy
const GROUP = /\((?:\?(?::|<?[=!]|<[^=!>][^>]*>))?/uy
const REPEAT = /(?:([*+?])|\{([0-9]+)(?:(,)([0-9]*))?\})\??/y

class PatternReader {
  readonly #text: string
  readonly #names = new Set<string>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  choice(depth: number): PatternTree {
    if (depth > MOST_GROUPS) throw new PatternProblem(`groups are nested more than ${MOST_GROUPS} deep`)
    const parts = [this.#sequence(depth)]
    while (this.#text[this.#at] === '|') {
      this.#at++
      parts.push(this.#sequence(depth))
    }
    return { is: 'choice', parts }
  }

  #sequence(depth: number): PatternTree {
    const parts: PatternTree[] = []
    for (;;) {
      const next = this.#text[this.#at]
      if (next === undefined || next === '|' || next === ')') return { is: 'sequence', parts }
      parts.push(this.#repeated(this.#atom(next, depth)))
    }
  }

  #repeated(part: PatternTree): PatternTree {
    const [, sign, least, comma, most] = this.#take(REPEAT) ?? []
    if (sign !== undefined)
      return { is: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity }
    if (least === undefined) return part
    const end = comma === undefined ? Number(least) : most === '' ? Infinity : Number(most)
    return { is: 'repeat', part, least: Number(least), most: end }
  }

  #atom(next: string, depth: number): PatternTree {
    if (next === '(') return this.#group(depth)
    if (next === '^' || next === '$') {
      this.#at++
      return { is: 'place', place: next === '^' ? 'start' : 'end' }
    }
    if (next === '\\') return this.#escape()
    const [source] = (next === '[' ? this.#take(CLASS) : this.#take(/./suy)) ?? []
    if (source === undefined) throw new PatternProblem('a class has no end')
    return character(source)
  }

  #escape(): PatternTree {
    const [source] = this.#take(PAIR) ?? this.#take(ESCAPE) ?? ['\\']
    if (/^\\[1-9k]/.test(source)) throw new PatternProblem('it refers back to a group')
    if (source === '\\b' || source === '\\B')
      return { is: 'place', place: source === '\\b' ? 'boundary' : 'inside' }
    return character(source)
  }

  #group(depth: number): PatternTree {
    const [opening = ''] = this.#take(GROUP) ?? []
    // Newer engines have groups that change flags.
    if (opening === '(' && this.#text[this.#at] === '?')
      throw new PatternProblem('it holds a group of a new kind')
    const name = nameIn(opening)
    // A newer engine knows more letters.
    if (name !== undefined && !/^[A-Za-z0-9_$]+$/.test(name))
      throw new PatternProblem('a group has a name with other characters than A–Z, a–z, 0–9, _ and $')
    if (name !== undefined && this.#names.has(name)) throw new PatternProblem('two groups have one name')
    if (name !== undefined) this.#names.add(name)
    const part = this.choice(depth + 1)
    this.#at++
    if (!/[=!]$/.test(opening)) return part
    return { is: 'look', part, ahead: !opening.includes('<'), negated: opening.endsWith('!') }
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return undefined
    this.#at += match[0].length
    return match
  }
}

const ESCAPED = /\\(?:[pP]\{(?:sc|scx|Script|Script_Extensions)=([^}]*)\}|.)/gsu

/** @param source a character, an escape or a class */
function character(source: string): PatternTree {
  for (const [, script] of source.matchAll(ESCAPED))
    if (script !== undefined && !SCRIPT_NAMES.has(script))
      throw new PatternProblem('it names a script that Unicode 15.1 does not have')
  return { is: 'character', source }
}

/** The name of a group, without escapes. */
function nameIn(opening: string): string | undefined {
  const [, name] = /^\(\?<([^=!].*)>$/su.exec(opening) ?? []
  return name?.replace(/\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))/g, (_, point, unit) =>
    point === undefined
      ? String.fromCharCode(Number.parseInt(unit, 16))
      : String.fromCodePoint(Number.parseInt(point, 16)),
  )
}

const SCRIPT_NAMES: ReadonlySet<string> = new Set(
  `
Adlam Adlm Aghb Ahom Anatolian_Hieroglyphs Arab Arabic Armenian Armi Armn Avestan Avst Bali Balinese Bamu Bamum Bass Bassa_Vah Batak Batk Beng Bengali
Bhaiksuki Bhks Bopo Bopomofo Brah Brahmi Brai Braille Bugi Buginese Buhd Buhid Cakm Canadian_Aboriginal Cans Cari Carian Caucasian_Albanian Chakma
Cham Cher Cherokee Chorasmian Chrs Common Copt Coptic Cpmn Cprt Cuneiform Cypriot Cypro_Minoan Cyrillic Cyrl Deseret Deva Devanagari Diak Dives_Akuru
Dogr Dogra Dsrt Dupl Duployan Egyp Egyptian_Hieroglyphs Elba Elbasan Elym Elymaic Ethi Ethiopic Geor Georgian Glag Glagolitic Gong Gonm Goth Gothic
Gran Grantha Greek Grek Gujarati Gujr Gunjala_Gondi Gurmukhi Guru Han Hang Hangul Hani Hanifi_Rohingya Hano Hanunoo Hatr Hatran Hebr Hebrew Hira
Hiragana Hluw Hmng Hmnp Hung Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Ital Java Javanese Kaithi Kali Kana Kannada
Katakana Kawi Kayah_Li Khar Kharoshthi Khitan_Small_Script Khmer Khmr Khoj Khojki Khudawadi Kits Knda Kthi Lana Lao Laoo Latin Latn Lepc Lepcha Limb
Limbu Lina Linb Linear_A Linear_B Lisu Lyci Lycian Lydi Lydian Mahajani Mahj Maka Makasar Malayalam Mand Mandaic Mani Manichaean Marc Marchen
Masaram_Gondi Medefaidrin Medf Meetei_Mayek Mend Mende_Kikakui Merc Mero Meroitic_Cursive Meroitic_Hieroglyphs Miao Mlym Modi Mong Mongolian Mro Mroo
Mtei Mult Multani Myanmar Mymr Nabataean Nag_Mundari Nagm Nand Nandinagari Narb Nbat New_Tai_Lue Newa Nko Nkoo Nshu Nushu Nyiakeng_Puachue_Hmong Ogam
Ogham Ol_Chiki Olck Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Orkh
Orya Osage Osge Osma Osmanya Ougr Pahawh_Hmong Palm Palmyrene Pau_Cin_Hau Pauc Perm Phag Phags_Pa Phli Phlp Phnx Phoenician Plrd Prti Psalter_Pahlavi
Qaac Qaai Rejang Rjng Rohg Runic Runr Samaritan Samr Sarb Saur Saurashtra Sgnw Sharada Shavian Shaw Shrd Sidd Siddham SignWriting Sind Sinh Sinhala
Sogd Sogdian Sogo Sora Sora_Sompeng Soyo Soyombo Sund Sundanese Sylo Syloti_Nagri Syrc Syriac Tagalog Tagb Tagbanwa Tai_Le Tai_Tham Tai_Viet Takr
Takri Tale Talu Tamil Taml Tang Tangsa Tangut Tavt Telu Telugu Tfng Tglg Thaa Thaana Thai Tibetan Tibt Tifinagh Tirh Tirhuta Tnsa Toto Ugar Ugaritic
Unknown Vai Vaii Vith Vithkuqi Wancho Wara Warang_Citi Wcho Xpeo Xsux Yezi Yezidi Yi Yiii Zanabazar_Square Zanb Zinh Zyyy Zzzz
`
    .trim()
    .split(/\s/),
)
