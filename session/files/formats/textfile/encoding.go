package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"perfdeck/session/files/logs"
	"perfdeck/session/text/codepage"
)

// CodePage is how the characters of a text file are written. Those of one or two
// bytes hold ASCII as it is, so only names have to be decoded.
type CodePage struct {
	Name  string
	alias string
	// Decode is nil for UTF-8 and for UTF-16.
	Decode encoding.Encoding
	Wide   wideness
}

type wideness uint8

// How many bytes a character has.
const (
	Narrow    wideness = iota
	UTF16Low           // UTF-16, low byte first
	UTF16High          // UTF-16, high byte first
)

// numbered are the code pages of Windows, those of its languages first, with what else they are called.
const numbered = `1250 1251 1252 1253 1254 1255 1256 1257 1258 437 850 852 855 858 860 862 863 865 866 874
932=shift-jis 936=gbk 949=euc-kr 950=big5 20866=koi8-r 28591=iso-8859-1 28592=iso-8859-2 28605=iso-8859-15 54936=gb18030`

var codePages = func() []CodePage {
	all := []CodePage{
		{Name: "utf-8", alias: "65001"},
		{Name: "utf-16le", alias: "1200", Wide: UTF16Low},
		{Name: "utf-16be", alias: "1201", Wide: UTF16High},
	}
	for page := range strings.FieldsSeq(numbered) {
		name, alias, _ := strings.Cut(page, "=")
		all = append(all, CodePage{Name: name, alias: alias, Decode: codepage.Of(name)})
	}
	return all
}()

// Encodings are the names that OpenOptions.Encoding takes: code pages by number,
// with "cp" or "windows-" before it if one likes, or by name.
func Encodings() []string {
	var names []string
	for _, c := range codePages {
		names = append(names, c.Name)
	}
	return names
}

// codePageNamed finds a code page by its name.
func codePageNamed(name string) (*CodePage, bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, prefix := range []string{"cp", "windows-", "ibm"} {
		name = strings.TrimPrefix(name, prefix)
	}
	if name == "utf8" {
		name = "utf-8"
	}
	for i := range codePages {
		if c := &codePages[i]; c.Name == name || c.alias == name && name != "" {
			return c, true
		}
	}
	return nil, false
}

// MustCodePage is a code page that is known.
func MustCodePage(name string) *CodePage {
	c, _ := codePageNamed(name)
	return c
}

// GuessCodePage tells how a file is written from its first bytes, and how many of
// them are a byte order mark. Nothing in a PDH-CSV says it: UTF-8 if it is valid. Of
// others a code page is told by the characters that the header would have: nil here.
func GuessCodePage(head []byte) (c *CodePage, mark int) {
	switch {
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		return MustCodePage("utf-8"), 3
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return MustCodePage("utf-16le"), 2
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return MustCodePage("utf-16be"), 2
	}
	switch even, odd := zeros(head); {
	case odd > 0 && even == 0:
		return MustCodePage("utf-16le"), 0
	case even > 0 && odd == 0:
		return MustCodePage("utf-16be"), 0
	case validUTF8(head):
		return MustCodePage("utf-8"), 0
	}
	return nil, 0
}

// zeros tells in which bytes of pairs there are zeros, up to where both have some: a
// header of UTF-16 is ASCII for the most part, whose high bytes are zero. They count
// from a quarter of the pairs on.
func zeros(head []byte) (even, odd int) {
	const looked = 1 << 10 // bytes
	head = head[:min(len(head), looked)&^1]
	for i := 0; i < len(head); i += 2 {
		if head[i] == 0 && head[i+1] != 0 {
			even++
		}
		if head[i+1] == 0 && head[i] != 0 {
			odd++
		}
	}
	if 8*max(even, odd) < len(head) {
		return 0, 0
	}
	if few := max(even, odd) / 16; min(even, odd) <= few { // U+0100 and its kin
		if even > odd {
			return even, 0
		}
		return 0, odd
	}
	return even, odd
}

// validUTF8 tells whether the bytes are UTF-8. The last character may be cut.
func validUTF8(head []byte) bool {
	for range utf8.UTFMax - 1 {
		if utf8.Valid(head) {
			return true
		}
		if len(head) == 0 || head[len(head)-1] < utf8.RuneSelf {
			return false
		}
		head = head[:len(head)-1]
	}
	return utf8.Valid(head)
}

// Text decodes what is not wide.
func (c *CodePage) Text(b []byte) string {
	if c.Decode == nil {
		return string(b)
	}
	out, err := c.Decode.NewDecoder().Bytes(b)
	if err != nil {
		return string(b)
	}
	return string(out)
}

// Source are the bytes of a text file behind its byte order mark. Wide
// characters are given as one byte each, what is not ASCII as 0x1A: only the
// header has any, and that is read by wide.
type Source struct {
	file *os.File
	Page *CodePage
	mark int64
	wide []byte // buffer for UTF-16
	sure bool   // the encoding was told, or there is a byte order mark

	Guess bool // the encoding was told by the letters of the header alone
	// Tell tells the code page of a header that is no UTF-8; nil: it is taken for UTF-8.
	Tell func(header []byte) (page *CodePage, isGuess bool, err error)
}

// ReadAt reads as io.ReaderAt does.
func (s *Source) ReadAt(b []byte, at int64) (int, error) {
	if s.Page.Wide == Narrow {
		return s.file.ReadAt(b, s.mark+at)
	}
	if cap(s.wide) < 2*len(b) {
		s.wide = make([]byte, 2*len(b))
	}
	raw := s.wide[:2*len(b)]
	n, err := s.file.ReadAt(raw, s.mark+2*at)
	for i := range n / 2 {
		unit := s.Page.Unit(raw[2*i:])
		if unit >= utf8.RuneSelf {
			unit = 0x1A
		}
		b[i] = byte(unit)
	}
	if n/2 < len(b) && err == nil {
		err = io.EOF
	}
	return n / 2, err
}

// units are the bytes of ASCII text in UTF-16.
func (c *CodePage) units(text string) []byte {
	var b []byte
	for i := range len(text) {
		if b = append(b, text[i], 0); c.Wide == UTF16High {
			b[len(b)-2], b[len(b)-1] = 0, text[i]
		}
	}
	return b
}

// Unit is the UTF-16 unit that b begins with.
func (c *CodePage) Unit(b []byte) uint16 {
	if c.Wide == UTF16High {
		return uint16(b[0])<<8 | uint16(b[1])
	}
	return uint16(b[1])<<8 | uint16(b[0])
}

// Size is the number of bytes that ReadAt gives.
func (s *Source) Size() (int64, error) {
	n, err := logs.FileSize(s.file)
	n = max(n-s.mark, 0)
	if s.Page.Wide != Narrow {
		n /= 2
	}
	return n, err
}

// Text is the text of a range of bytes as ReadAt gave them, decoded. A header may
// be longer than what was guessed from.
func (s *Source) Text(b []byte, at int64) (string, error) {
	if s.Page.Wide == Narrow {
		if !s.sure && s.Tell != nil && !utf8.Valid(b) {
			page, isGuess, err := s.Tell(b)
			if err != nil {
				return "", err
			}
			s.Page, s.Guess = page, isGuess
		}
		s.sure = s.sure || bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) // other headers go by this one
		return s.Page.Text(b), nil
	}
	raw := make([]byte, 2*len(b))
	if _, err := s.file.ReadAt(raw, s.mark+2*at); err != nil {
		return "", err
	}
	units := make([]uint16, len(b))
	for i := range units {
		units[i] = s.Page.Unit(raw[2*i:])
	}
	return string(utf16.Decode(units)), nil
}

// sourceOf finds out how a text file is written.
func sourceOf(file *os.File, head []byte, o logs.OpenOptions) (*Source, error) {
	name := o.Encoding
	page, mark := GuessCodePage(head)
	if page == nil {
		page = MustCodePage("utf-8") // until the header tells
	}
	if name != "" {
		asked, ok := codePageNamed(name)
		if !ok {
			return nil, &logs.FileError{File: file.Name(), Err: fmt.Errorf("%q: %w", name, errNoEncoding), Advice: "known: " + strings.Join(Encodings(), ", ")}
		}
		if asked != page {
			page, mark = asked, 0
		}
	}
	return &Source{file: file, Page: page, mark: int64(mark), sure: name != "" || mark > 0}, nil
}

var errNoEncoding = errors.New("no such encoding")
