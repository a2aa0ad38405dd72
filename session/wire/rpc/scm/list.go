package scm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Service is one of a list. Its texts are foreign.
type Service struct {
	Name     string
	Title    string // for people, in the host's language
	Type     uint32 // MS-SCMR 2.2.47
	State    uint32
	ExitCode uint32 // of Windows, or its own where that says so
	Process  uint32 // 0: none, or not told
}

// Running is the state of one that runs, MS-SCMR 2.2.47.
const Running = 4

// Types, as bits: of services of users, one for each that is logged on, and of what those are made
// after; and all bits that there are.
const (
	TypeOfUsers = 0x40
	TypeOfUser  = 0x80
	Types       = 0x1ff
)

// Sizes of heads, MS-SCMR 2.2.10 and 2.2.11, and how long names are at most, with their end.
const (
	headSize    = 44
	oldHeadSize = 36
	mostUnits   = 257
)

// mostServices is how many a list may have.
const mostServices = 20_000

var errList = errors.New("damaged list of services")

// specificCode says that a service ended with a code of its own.
const specificCode = 1066

// services adds those of a part to a list: heads, then their texts anywhere behind. All texts have
// one memory.
func (p *part) services(list []Service) ([]Service, error) {
	b, n, head := p.buffer, p.returned, headSize
	if p.op == OpOldList {
		head = oldHeadSize
	}
	if uint64(n)*uint64(head) > uint64(len(b)) || len(list)+int(n) > mostServices {
		return nil, fmt.Errorf("%w: %d in %d bytes, behind %d", errList, n, len(b), len(list))
	}
	texts := make([]byte, 0, len(b)-int(n)*head)
	text := func(at uint32) (from int, err error) {
		from = len(texts)
		if at%2 != 0 || uint64(at) < uint64(n)*uint64(head) || uint64(at) > uint64(len(b)) {
			return 0, errList
		}
		rest := b[at:]
		for i := 0; i+1 < len(rest) && i < 2*mostUnits; i += 2 {
			r := rune(binary.LittleEndian.Uint16(rest[i:]))
			switch {
			case r == 0:
				return from, nil
			case utf16.IsSurrogate(r) && i+3 < len(rest):
				low := rune(binary.LittleEndian.Uint16(rest[i+2:]))
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 2
				}
			}
			texts = utf8.AppendRune(texts, r)
		}
		return 0, errList
	}
	type place struct{ name, title, end int }
	places := make([]place, n)
	first := len(list)
	list = append(list, make([]Service, n)...)
	for i := range places {
		field := func(k int) uint32 { return binary.LittleEndian.Uint32(b[head*i+4*k:]) }
		at := &places[i]
		var err error
		if at.name, err = text(field(0)); err != nil {
			return nil, err
		}
		if at.title, err = text(field(1)); err != nil {
			return nil, err
		}
		if at.end = len(texts); at.end > 4*len(b) { // texts that share bytes
			return nil, errList
		}
		s := &list[first+i]
		s.Type, s.State, s.ExitCode = field(2), field(3), field(5)
		if s.ExitCode == specificCode {
			s.ExitCode = field(6)
		}
		if head == headSize {
			s.Process = field(9)
		}
	}
	all := string(texts)
	for i, at := range places {
		s := &list[first+i]
		s.Name, s.Title = all[at.name:at.title], all[at.title:at.end]
	}
	return list, nil
}
