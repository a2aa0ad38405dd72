package csv

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"perfdeck/paths"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/text/language"
)

// What Windows writes in the code page of its language is told by the zone of the header, which
// is of a region, and by what each code page makes of the names: words that Windows has, names
// that are known in a language, and else whether the characters are of one script as words have
// them. Code pages that make the same text are one.

// guessed are the code pages that are told apart, the usual ones first: of two that
// make equally good words the first is not taken, but asked for.
var guessed = []struct {
	name  string
	score func(text string) float64 // of what is not ASCII: 1 is a text, below 0 none
	// words that Windows has in names of counters, objects and zones. Any of them
	// decides.
	words []string
}{
	{"1252", scoreLatin, western},
	{"850", scoreLatin, western},
	{"1250", scoreLetters("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîşţ", "čćđšž"), eastern},
	{"852", nil, eastern},
	{"1251", scoreCyrillic, append([]string{"диск", "зима", "лето", "Пам'ять"}, cyrillic...)},
	{"866", nil, cyrillic},
	{"20866", nil, cyrillic},
	{"1253", scoreGreek, []string{"Επεξεργαστή", "Μνήμη", "δίσκος", "Διαθέσιμ", "χρόνο"}},
	{"1254", scoreLetters("çğıöşüâîû"), []string{"İşlemci", "Kullanılabilir", "Ağ Arabirimi", "Zamanı"}},
	{"1255", scoreHebrew, nil},
	{"1256", scoreArabic, nil},
	{"1257", scoreLetters("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"), nil},
	{"1258", scoreLetters("àáâãèéêìíòóôõùúýăđĩũơư"), nil},
	{"874", scoreThai, nil},
	{"932", scoreJapanese, []string{"プロセッサ", "メモリ", "プロセス", "使用可能", "ディスク", "システム", "ネットワーク", "標準時", "東京"}},
	{"936", scoreChinese(0xB0, 0xD7), []string{"处理器", "内存", "可用", "进程", "系统", "磁盘", "网络", "标准时间"}},
	{"949", scoreKorean, []string{"프로세서", "메모리", "사용", "프로세스", "시스템", "디스크", "네트워크", "표준시"}},
	{"950", scoreChinese(0xA4, 0xC6), []string{"處理器", "記憶體", "處理序", "系統", "磁碟", "網路", "標準時間", "可用"}},
}

var cyrillic = []string{"Процес", "Память", "Доступно", "загруженности", "Систем", "Сетевой", "стандартное время"}

var western = []string{
	"Mémoire", "Système", "Réseau", "Défauts", "écriture", "été", "Verfügbar", "Länge", "Datenträger", "Übertragung", "Memória", "Disco físico",
	"páginas", "lógico", "Änderungen", "tillgängligt", "fysisk hårddisk", "käytettävissä", "nätverk", "Mitteleuropäische", "Größe",
}

var eastern = []string{"Paměť", "Dostupné", "Přerušení", "čas procesoru", "Pamięć", "bajtów", "Sieć", "Pomnilnik", "Memória rendelkezésre", "időtartam", "Środkowoeuropejski", "Střední Evropa"}

// zonePages are the code pages of the systems of regions, by what the names of their zones have
// before Standard or Daylight Time.
var zonePages = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for pages, zones := range map[string]string{
		"1252 850": "W. Europe;Romance;GMT;Greenwich;Azores;Pacific;Mountain;Central;Eastern;Atlantic;Newfoundland;Alaskan;Hawaiian;E. South America;SA Eastern;SA Western;SA Pacific;" +
			"Pacific SA;Argentina;Venezuela;Central America;Pacific (Mexico);Mountain (Mexico);Central (Mexico);Eastern (Mexico);Montevideo;Paraguay;Bahia;Tocantins;Central Brazilian;" +
			"Canada Central;US Mountain;US Eastern;Cuba;Greenland;AUS Eastern;E. Australia;AUS Central;Cen. Australia;W. Australia;Tasmania;New Zealand;South Africa;W. Central Africa;E. Africa",
		"1250 852":      "Central Europe",
		"1250 852 1251": "Central European",
		"1253 1250":     "GTB",
		"1250 1251":     "E. Europe",
		"1257 1251":     "FLE",
		"1251 866": "Russian;Russia Time Zone 3;Russia Time Zone 10;Russia Time Zone 11;Kaliningrad;Belarus;Astrakhan;Saratov;Volgograd;Ekaterinburg;Omsk;Altai;North Asia;N. Central Asia;" +
			"Tomsk;North Asia East;Transbaikal;Yakutsk;Vladivostok;Magadan;Sakhalin;Qyzylorda;Central Asia;Ulaanbaatar;W. Mongolia",
		"1254":     "Turkey",
		"1255":     "Israel",
		"1256":     "Arab;Arabic;Arabian;Egypt;Jordan;Syria;Middle East;West Bank;Libya;Morocco;Sudan;Iran;Pakistan",
		"874 1258": "SE Asia",
		"932":      "Tokyo",
		"949":      "Korea;North Korea",
		"936 950":  "China",
		"950":      "Taipei",
		"936":      "Singapore",
	} {
		for zone := range strings.SplitSeq(zones, ";") {
			all[zone] = strings.Fields(pages)
		}
	}
	return all
})

// pagesOfZone are the code pages of the region of a zone; none: its name does not tell.
func pagesOfZone(zone string) []string {
	for _, part := range []string{" Standard Time", " Daylight Time", " Summer Time"} {
		zone = strings.Replace(zone, part, "", 1)
	}
	return zonePages()[strings.TrimSpace(zone)]
}

// What a text needs to be taken for one, and how far the next best has to be behind.
const (
	leastScore = 0.4
	leastAhead = 0.1
	// lesser is how much less than those of a page that is used in many countries words count
	// that are of single languages.
	lesser = 0.8
)

// codePageError says that nothing tells the code page of a header.
type codePageError struct {
	reads []string // what which page would read
	pages []string // that may be it
	zone  string   // whose pages these are; empty: they fit by their letters, or are all there are
}

func (e *codePageError) Error() string {
	return "nothing tells the code page of its names: " + strings.Join(e.reads, ", ")
}

// Hint says what can be done.
func (e *codePageError) Hint() string {
	which := "--encoding names it: " + strings.Join(e.pages, ", ")
	if e.zone != "" {
		which += " are those of " + e.zone
	}
	return which + "; values are read with any, as with --encoding " + e.pages[0]
}

// pageReading is what a code page makes of a header.
type pageReading struct {
	page   *textfile.CodePage
	text   string // of names that are not ASCII alone
	score  float64
	known  int // words, and names of counters, that are known
	inZone bool
}

// tellPage tells the code page of a header that is no UTF-8. isGuess: by its letters alone, which no word
// and no zone confirms.
func tellPage(header []byte, names *language.Dictionary) (page *textfile.CodePage, isGuess bool, err error) {
	zone := parseZone(splitHeader(string(header), separatorOf(string(header)))[0]).Name
	pages := pagesOfZone(zone)
	var all []pageReading
	for _, g := range guessed {
		page := textfile.MustCodePage(g.name)
		whole := page.Text(header)
		r := pageReading{page, foreignOf(whole), -1, 0, slices.Contains(pages, g.name)}
		if strings.ContainsRune(r.text, utf8.RuneError) {
			continue
		}
		if g.score != nil {
			r.score = g.score(r.text)
		}
		for _, w := range g.words {
			if strings.Contains(r.text, w) {
				r.known++
			}
		}
		if i := slices.IndexFunc(all, func(o pageReading) bool { return o.text == r.text }); i >= 0 {
			o := &all[i]
			o.score, o.known, o.inZone = max(o.score, r.score), max(o.known, r.known), o.inZone || r.inZone
			continue
		}
		if r.score >= 0 {
			r.known += knownNames(whole, names)
		}
		all = append(all, r)
	}
	for i, fits := range []func(r *pageReading) bool{
		func(r *pageReading) bool { return r.inZone && r.known > 0 },
		func(r *pageReading) bool { return r.known > 0 },
		func(r *pageReading) bool { return r.inZone && r.score >= leastScore },
		func(r *pageReading) bool { return r.score >= leastScore },
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(r pageReading) bool { return !fits(&r) })
		slices.SortStableFunc(found, func(a, b pageReading) int {
			return cmp.Or(cmp.Compare(b.known, a.known), cmp.Compare(b.score, a.score))
		})
		switch {
		case len(found) == 0:
		case len(found) == 1 || found[0].known > found[1].known || found[0].score-found[1].score >= leastAhead:
			return found[0].page, i == 3, nil
		default:
			return nil, false, askPage(found, nil, "")
		}
	}
	return nil, false, askPage(all, pages, zone)
}

// askPage is the question for the page: one of those whose texts are good, else one of those of
// the zone, else any.
func askPage(all []pageReading, ofZone []string, zone string) error {
	e := &codePageError{}
	slices.SortStableFunc(all, func(a, b pageReading) int { return cmp.Compare(b.score, a.score) })
	for _, r := range all {
		if r.score < 0 {
			continue
		}
		if e.pages = append(e.pages, r.page.Name); len(e.reads) < 4 {
			word, _, _ := strings.Cut(r.text, " ")
			e.reads = append(e.reads, fmt.Sprintf("%s would read %q", r.page.Name, word))
		}
	}
	if len(e.reads) == 0 {
		e.reads = []string{"none of the usual ones makes words of them"}
	}
	ofZone = slices.DeleteFunc(slices.Clone(ofZone), func(name string) bool { return !slices.Contains(e.pages, name) }) // it reads as nothing
	switch {
	case len(ofZone) > 0:
		e.pages, e.zone = ofZone, zone
	case len(e.pages) == 0:
		for _, g := range guessed {
			e.pages = append(e.pages, g.name)
		}
	}
	return e
}

// knownNames is how many counters of a header are known in another language by names that are
// not ASCII alone, of the first ones.
func knownNames(header string, names *language.Dictionary) (n int) {
	const most = 200
	var asked []language.Names
	cells := splitHeader(header, separatorOf(header))
	for _, cell := range cells[min(1, len(cells)):] {
		if len(asked) < most && strings.ContainsFunc(cell, func(r rune) bool { return r >= utf8.RuneSelf }) {
			if p, err := paths.Parse(cell); err == nil {
				asked = append(asked, language.Names{Object: p.Object, Counter: p.Counter})
			}
		}
	}
	taken := names.English(asked)
	for _, is := range taken.English {
		if is.Counter != "" {
			n++
		}
	}
	return n
}

// foreignOf are the words of a text that are not ASCII alone, parted by blanks, with
// those beside them that stand in one name.
func foreignOf(text string) string {
	var b strings.Builder
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < utf8.RuneSelf && strings.ContainsRune("\"\t,;\\()/#", r) }) {
		if strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
			b.WriteString(strings.TrimSpace(name))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// perWord adds up what words are worth, by their characters that are not ASCII.
func perWord(text string, worth func(word []rune, foreign int) float64) float64 {
	sum, all := 0.0, 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < utf8.RuneSelf && !unicode.IsLetter(r) }) {
		runes, foreign := []rune(word), 0
		for _, r := range runes {
			if r >= utf8.RuneSelf {
				foreign++
			}
		}
		if foreign > 0 {
			sum, all = sum+float64(foreign)*worth(runes, foreign), all+foreign
		}
	}
	if all == 0 {
		return 0
	}
	return sum / float64(all)
}

// isOneCase tells that no large letter follows a small one.
func isOneCase(word []rune) bool {
	for i := 1; i < len(word); i++ {
		if unicode.IsUpper(word[i]) && unicode.IsLower(word[i-1]) {
			return false
		}
	}
	return true
}

// isInside tells that an ASCII letter stands before it and a small one behind it.
func isInside(word []rune, i int) bool {
	return i > 0 && word[i-1] < utf8.RuneSelf && unicode.IsLetter(word[i-1]) &&
		i+1 < len(word) && word[i+1] < utf8.RuneSelf && unicode.IsLower(word[i+1])
}

// scoreLatin: among letters most are ASCII, and signs stand at the ends of words. In
// Portuguese õ stands before e; elsewhere it is most often the ä of another code page.
func scoreLatin(text string) float64 {
	return perWord(text, func(word []rune, foreign int) float64 {
		ascii, odd, doubt := 0, false, false
		for i, r := range word {
			switch {
			case r < utf8.RuneSelf:
				ascii++
			case r == 'õ' && (i+1 == len(word) || word[i+1] != 'e'):
				doubt = true
			case strings.ContainsRune("°µ§²³€®™–—“”«»", r):
				odd = odd || isInside(word, i)
			case r == '’':
			default:
				odd = odd || !unicode.Is(unicode.Latin, r) || strings.ContainsRune("ÐÞðþƒ", r)
			}
		}
		switch {
		case odd || !isOneCase(word):
			return -1
		case doubt:
			return 0.5
		case ascii >= foreign:
			return 1
		case len(word) <= 2, len(word) <= 4 && ascii > 0:
			return 0.5
		}
		return -0.5
	})
}

// scoreCyrillic: words are of Russian, Ukrainian or Bulgarian letters alone.
func scoreCyrillic(text string) float64 {
	return perWord(text, func(word []rune, foreign int) float64 {
		for _, r := range word {
			if r >= utf8.RuneSelf && (r < 'А' || r > 'я') && !strings.ContainsRune("ёЁіІїЇєЄґҐ№«»–—", r) {
				return -1
			}
		}
		switch {
		case foreign < len(word) || !isOneCase(word):
			return -1
		case len(word) <= 2:
			return 0.5
		}
		return 1
	})
}

// perRune is the worth of the characters that are not ASCII.
func perRune(text string, worth func(r rune) float64) float64 {
	return perWord(text, func(word []rune, foreign int) float64 {
		sum := 0.0
		for i, r := range word {
			switch {
			case r < utf8.RuneSelf:
			case isInside(word, i): // no such character stands alone in a Latin word
				sum--
			default:
				sum += worth(r)
			}
		}
		return sum / float64(foreign)
	})
}

// lead is the first byte of a character in a code page.
func lead(page *textfile.CodePage, r rune) byte {
	b, err := page.Decode.NewEncoder().Bytes([]byte(string(r)))
	if err != nil || len(b) < 2 {
		return 0
	}
	return b[0]
}

func isWide(r rune) bool {
	return r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E || r == 'ー' || r == '・'
}

// scoreJapanese: kana, and kanji of the first level (JIS X 0208, rows 16 to 47).
func scoreJapanese(text string) float64 {
	page := textfile.MustCodePage("932")
	return perRune(text, func(r rune) float64 {
		switch b := lead(page, r); {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xFF00, isWide(r):
			return 1
		case !unicode.Is(unicode.Han, r):
			return -1 // half of a katakana is most often another code page
		case b >= 0x88 && b <= 0x97:
			return 0.8
		}
		return 0.1
	})
}

// scoreKorean: syllables of KS X 1001, rows 16 to 40.
func scoreKorean(text string) float64 {
	page := textfile.MustCodePage("949")
	return perRune(text, func(r rune) float64 {
		switch b := lead(page, r); {
		case unicode.Is(unicode.Hangul, r) && b >= 0xB0 && b <= 0xC8, isWide(r):
			return 1
		case unicode.Is(unicode.Hangul, r):
			return 0
		}
		return -0.5
	})
}

// scoreChinese: characters of the first level, whose first bytes are from from to to
// (GB 2312, rows 16 to 55; Big5, level 1).
func scoreChinese(from, to byte) func(text string) float64 {
	page := textfile.MustCodePage("936")
	if from < 0xB0 {
		page = textfile.MustCodePage("950")
	}
	return func(text string) float64 {
		return perRune(text, func(r rune) float64 {
			switch b := lead(page, r); {
			case isWide(r):
				return 0.8
			case !unicode.Is(unicode.Han, r):
				return -1
			case b >= from && b <= to:
				return 0.8
			case b > to:
				return 0.2
			}
			return -0.5
		})
	}
}

// scoreLetters is that of pages for some languages, each by its small letters that are not ASCII:
// the words of a text are of one of them.
func scoreLetters(languages ...string) func(text string) float64 {
	return func(text string) float64 {
		best := -1.0
		for _, letters := range languages {
			best = max(best, perWord(text, func(word []rune, foreign int) float64 {
				ascii := 0
				for i, r := range word {
					switch {
					case r < utf8.RuneSelf:
						ascii++
					case strings.ContainsRune("°µ§²³€®™–—“”„«»’", r):
						if isInside(word, i) {
							return -1
						}
					case !strings.ContainsRune(letters, unicode.ToLower(r)) && !unicode.Is(unicode.Mn, r):
						return -1
					}
				}
				switch {
				case !isOneCase(word):
					return -1
				case ascii >= foreign:
					return lesser
				case len(word) <= 6:
					return lesser / 2
				}
				return -0.5
			}))
		}
		return best
	}
}

// scoreScript is that of a page of one script, of which no other letters stand in a word. worth is
// that of a word of it, below 0 of one that cannot be.
func scoreScript(script *unicode.RangeTable, worth func(word []rune) float64) func(text string) float64 {
	return func(text string) float64 {
		return perWord(text, func(word []rune, _ int) float64 {
			word = []rune(strings.Trim(string(word), "«»–—’“”…№·"))
			for _, r := range word {
				if !unicode.Is(script, r) {
					return -1
				}
			}
			if len(word) <= 2 {
				return min(worth(word), 0.5)
			}
			return worth(word)
		})
	}
}

// hasForms tells that letters that have another form at the end of words have it there, and
// nowhere else.
func hasForms(word []rune, inside, atEnd string) bool {
	for i, r := range word {
		isEnd := i+1 == len(word)
		if strings.ContainsRune(atEnd, r) && !isEnd || strings.ContainsRune(inside, r) && isEnd && len(word) > 1 {
			return false
		}
	}
	return true
}

// scoreGreek: all but short words have one accent.
var scoreGreek = scoreScript(unicode.Greek, func(word []rune) float64 {
	accents := 0
	for _, r := range word {
		if strings.ContainsRune("άέήίόύώΐΰΆΈΉΊΌΎΏ", r) {
			accents++
		}
	}
	switch {
	case accents > 1 || !hasForms(word, "σ", "ς") || !isOneCase(word):
		return -1
	case accents == 0 && len(word) > 3:
		return 0.3
	}
	return 1
})

var scoreHebrew = scoreScript(unicode.Hebrew, func(word []rune) float64 {
	if !hasForms(word, "כמנצ", "ךםןףץ") || slices.ContainsFunc(word, func(r rune) bool { return r < 'א' || r > 'ת' }) {
		return -1
	}
	return 1
})

var scoreArabic = scoreScript(unicode.Arabic, func(word []rune) float64 {
	if !hasForms(word, "", "ة") {
		return -1
	}
	return 1
})

// scoreThai: marks stand at consonants, vowels before or behind them, and there are some.
var scoreThai = scoreScript(unicode.Thai, func(word []rune) float64 {
	isConsonant := func(r rune) bool { return r >= 'ก' && r <= 'ฮ' }
	isMark := func(r rune) bool {
		return r == '\u0E31' || r >= '\u0E34' && r <= '\u0E3A' || r >= '\u0E47' && r <= '\u0E4E'
	}
	vowels := 0
	for i, r := range word {
		switch {
		case isConsonant(r):
			continue
		case isMark(r) && (i == 0 || !isConsonant(word[i-1]) && !isMark(word[i-1])),
			r >= 'เ' && r <= 'ไ' && (i+1 == len(word) || !isConsonant(word[i+1])),
			(r == 'ะ' || r == 'า' || r == 'ำ') && i == 0, r >= '๐':
			return -1
		}
		vowels++
	}
	if 4*vowels < len(word) {
		return 0.3
	}
	return 1
})
