package logs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What Windows writes in the code page of its language is told by what each code page
// makes of a header: words that Windows has there, and else whether the characters are
// of one script as words have them. Code pages that make the same text are one.

// guessed are the code pages that are told apart, the usual ones first: of two that
// make equally good words the first is not taken, but asked for.
var guessed = []struct {
	name  string
	score func(text string) float64 // of what is not ASCII: 1 is a text, below 0 none
	// words that Windows has in names of counters, objects and zones. Any of them
	// decides.
	words []string
}{
	{"1252", scoreLatin, []string{
		"Mémoire", "Système", "Réseau", "Défauts", "écriture", "été", "Verfügbar", "Länge", "Datenträger", "Übertragung", "Memória", "Disco físico",
		"páginas", "lógico", "Änderungen", "tillgängligt", "fysisk hårddisk", "käytettävissä", "nätverk", "Mitteleuropäische", "Größe",
	}},
	{"850", scoreLatin, nil}, // its words are those of 1252
	{"1250", nil, []string{"Paměť", "Dostupné", "Přerušení", "čas procesoru", "Pamięć", "bajtów", "Sieć", "Pomnilnik", "Memória rendelkezésre", "időtartam", "Środkowoeuropejski", "Střední Evropa"}},
	{"1251", scoreCyrillic, []string{"Процес", "Память", "Доступно", "загруженности", "диск", "Систем", "Сетевой", "зима", "лето", "стандартное время", "Пам'ять"}},
	{"866", nil, []string{"Процес", "Память", "Доступно", "загруженности", "Систем", "Сетевой", "стандартное время"}},
	{"932", scoreJapanese, []string{"プロセッサ", "メモリ", "プロセス", "使用可能", "ディスク", "システム", "ネットワーク", "標準時", "東京"}},
	{"936", scoreChinese(0xB0, 0xD7), []string{"处理器", "内存", "可用", "进程", "系统", "磁盘", "网络", "标准时间"}},
	{"949", scoreKorean, []string{"프로세서", "메모리", "사용", "프로세스", "시스템", "디스크", "네트워크", "표준시"}},
	{"950", scoreChinese(0xA4, 0xC6), []string{"處理器", "記憶體", "處理序", "系統", "磁碟", "網路", "標準時間", "可用"}},
}

// What a text needs to be taken for one, and how far the next best has to be behind.
const (
	leastScore = 0.4
	leastAhead = 0.1
	wordScore  = 10
)

// codePageError says that nothing tells the code page of a header.
type codePageError struct{ reads []string }

func (e *codePageError) Error() string {
	return "nothing tells the code page of its names: " + strings.Join(e.reads, ", ")
}

// Hint says what can be done.
func (e *codePageError) Hint() string { return "--encoding names it, as --encoding 1252" }

// pageOfHeader tells the code page of a header that is no UTF-8.
func pageOfHeader(header []byte) (*codePage, error) {
	type reading struct {
		page  *codePage
		text  string
		score float64
	}
	var all []reading
	for _, g := range guessed {
		page := mustCodePage(g.name)
		text := foreignOf(page.text(header))
		if strings.ContainsRune(text, utf8.RuneError) {
			continue
		}
		r := reading{page, text, -1}
		words := g.words
		if g.name == "850" {
			words = guessed[0].words
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
			r.score = wordScore
		} else if g.score != nil {
			r.score = g.score(text)
		}
		if !slices.ContainsFunc(all, func(o reading) bool { return o.text == text && o.score >= r.score }) {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b reading) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	if len(all) > 0 && all[0].score >= leastScore && (len(all) == 1 || all[1].text == all[0].text || all[0].score-all[1].score >= leastAhead) {
		return all[0].page, nil
	}
	e := &codePageError{}
	for _, r := range all {
		if len(e.reads) < 4 && r.score >= 0 {
			word, _, _ := strings.Cut(r.text, " ")
			e.reads = append(e.reads, fmt.Sprintf("%s would read %q", r.page.name, word))
		}
	}
	if len(e.reads) == 0 {
		e.reads = []string{"none of the usual ones makes words of them"}
	}
	return nil, e
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
func lead(page *codePage, r rune) byte {
	b, err := page.decode.NewEncoder().Bytes([]byte(string(r)))
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
	page := mustCodePage("932")
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
	page := mustCodePage("949")
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
	page := mustCodePage("936")
	if from < 0xB0 {
		page = mustCodePage("950")
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
