// Texts for the boxes of a picture. A text that does not fit is shortened in the middle, and two different texts never look alike: what
// differs is shown too. Pure.

export interface BoxRoom {
  /** Of a line. Letters of East Asian scripts and emoji count as two. */
  readonly letters: number
  /** How many lines a text may have. It gets more only where it would look like another one. */
  readonly lines: number
}

/** Returns the lines of each text. */
export function apart(texts: readonly string[], { letters, lines }: BoxRoom): readonly (readonly string[])[] {
  const split = texts.map(text => firstAndRest(text, letters, lines))
  const rests = restsApart(
    split.map(({ rest }) => rest),
    letters * Math.max(1, lines - 1),
  )
  return split.map(({ first, rest }) => [...first, ...broken(rests.get(rest) ?? [], letters)])
}

/** A text that does not fit has a first line, which is not shortened. */
function firstAndRest(text: string, letters: number, lines: number) {
  const characters = [...text]
  if (lines === 1 || widthOf(characters) <= letters) return { first: [], rest: text }
  const begin = firstLine(characters, letters)
  return {
    first: [characters.slice(0, begin).join('').trimEnd()],
    rest: characters.slice(begin).join(''),
  }
}

/** Each text with its characters that are shown: for two different texts never the same. */
function restsApart(texts: readonly string[], room: number): ReadonlyMap<string, readonly string[]> {
  const all = [...new Set(texts)]
  const marks = new Map<string, number[]>()
  const shown = new Map(all.map(text => [text, shortened([...text], room, [])]))
  for (let alike = groupsAlike(shown); alike.length > 0; alike = groupsAlike(shown)) {
    for (const group of alike) {
      const mark = firstDifference(group)
      for (const text of group) {
        const own = marks.get(text) ?? []
        // A text can have the sign of what is left out in itself: then all of it is shown.
        const isSeen = own.includes(mark)
        marks.set(text, [...own, mark])
        shown.set(text, isSeen ? [...text] : shortened([...text], room, [...own, mark]))
      }
    }
  }
  return shown
}

function groupsAlike(shown: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const [text, characters] of shown) {
    const key = characters.join('')
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push(text)
  }
  return [...groups.values()].filter(group => group.length > 1)
}

/** The index of the first character in which some of them differ. */
function firstDifference(texts: readonly string[]): number {
  const [first = [], ...others] = texts.map(text => [...text])
  const at = first.findIndex((character, index) => others.some(other => other[index] !== character))
  return at === -1 ? first.length : at
}

/** How many characters fit: up to the last space, if there is one. */
function firstLine(characters: readonly string[], letters: number): number {
  const fits = fitting(characters, letters)
  const space = characters.slice(0, fits).lastIndexOf(' ')
  return space > 0 ? space + 1 : fits
}

/** The beginning, the end, and what is at each mark. */
function shortened(characters: readonly string[], room: number, marks: readonly number[]): readonly string[] {
  if (widthOf(characters) <= room) return characters
  const widest = characters.some(character => widthOf([character]) > 1) ? 2 : 1
  const parts = marks.length + 2
  const size = Math.max(4, Math.floor((room - parts + 1) / parts / widest))
  const starts = [0, ...marks.map(mark => mark - 1), characters.length - size]
  const isKept = (index: number) => starts.some(start => index >= start && index < start + size)
  return characters.flatMap((character, index) => {
    if (isKept(index)) return [character]
    return index === 0 || isKept(index - 1) ? ['…'] : []
  })
}

function broken(characters: readonly string[], letters: number): string[] {
  const lines: string[] = []
  for (let rest = characters; rest.length > 0; ) {
    const fits = Math.max(1, fitting(rest, letters))
    lines.push(rest.slice(0, fits).join(''))
    rest = rest.slice(fits)
  }
  return lines
}

function fitting(characters: readonly string[], letters: number): number {
  let used = 0
  const over = characters.findIndex(character => {
    used += widthOf([character])
    return used > letters
  })
  return over === -1 ? characters.length : over
}

function widthOf(characters: readonly string[]): number {
  return characters.reduce((sum, character) => {
    const isNarrow = character === '…' || (character.codePointAt(0) ?? 0) < 0x1100
    return sum + (isNarrow ? 1 : 2)
  }, 0)
}
