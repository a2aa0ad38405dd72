// Package eventlog reads the classic event logs of a Windows host, System and Application, by
// MS-EVEN, and those of this computer where it is one. What it asks of them is small: where a log
// begins and ends, and its records (E below is the section of MS-EVEN). Never the Security log.
package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unicode/utf16"

	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// record is an EVENTLOGRECORD (E 2.2.3).
type record struct {
	number  uint32
	time    time.Time // by the host's clock
	id      uint16
	level   session.EventLevel
	source  string
	inserts []string
	data    []byte // in the memory of what was read
}

const (
	recordHeadBytes  = 56
	leastRecordBytes = recordHeadBytes + 4 // with the length that it ends with
	mostInserts      = 256
	mostNameRunes    = 128    // of who wrote it, and of what our sentence names: they are told where texts are not
	lastIsXML        = 0x8000 // of the flags: the last insert is all of them as XML

	signature = 0x654c664c
)

var errRecord = errors.New("a record of the event log is damaged")

func damaged(what string) error { return fmt.Errorf("%w: %s", errRecord, what) }

// next takes the first record off what was read.
func next(b []byte) (r record, rest []byte, err error) {
	if len(b) < leastRecordBytes {
		return r, nil, damaged("it is cut off")
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u16 := func(at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
	length := u32(0)
	switch {
	case length < leastRecordBytes || length%4 != 0 || uint64(length) > uint64(len(b)):
		return r, nil, damaged("its length")
	case u32(4) != signature:
		return r, nil, damaged("its signature")
	case u32(int(length)-4) != length:
		return r, nil, damaged("its end")
	}
	b, rest = b[:length-4], b[length:]
	r = record{number: u32(8), time: time.Unix(int64(u32(12)), 0), id: uint16(u32(20)), level: levelOf(u16(24))}
	if r.source, _, err = text(b, recordHeadBytes); err != nil {
		return r, nil, err
	}
	if size, at := uint64(u32(48)), uint64(u32(52)); size > 0 { // where there are none it may be anything
		if at < recordHeadBytes || at+size > uint64(len(b)) {
			return r, nil, damaged("where its data are")
		}
		r.data = b[at : at+size]
	}
	count := int(u16(26))
	if count > mostInserts {
		return r, nil, damaged("how many texts it has")
	}
	if u16(30)&lastIsXML != 0 && count > 0 {
		count--
	}
	for at := uint64(u32(36)); count > 0; count-- {
		if at < recordHeadBytes || at > uint64(len(b)) {
			return r, nil, damaged("where its texts are")
		}
		var insert string
		var behind int
		if insert, behind, err = text(b, int(at)); err != nil {
			return r, nil, err
		}
		r.inserts, at = append(r.inserts, insert), uint64(behind)
	}
	return r, rest, nil
}

// text is what a record has at a place up to its NUL, printable and bounded.
func text(b []byte, at int) (s string, behind int, err error) {
	var units []uint16
	for {
		if at+2 > len(b) {
			return "", 0, damaged("a text has no end")
		}
		u := binary.LittleEndian.Uint16(b[at:])
		at += 2
		if u == 0 {
			break
		}
		if len(units) < 2*session.MostEventText {
			units = append(units, u)
		}
	}
	return printable.Line(string(utf16.Decode(units)), session.MostEventText), at, nil // most messages have ends of lines in them
}

// levelOf is the level of a type (E 2.2.3); audits are of a log that is not read.
func levelOf(kind uint16) session.EventLevel {
	switch kind {
	case 1:
		return session.EventError
	case 2:
		return session.EventWarning
	}
	return session.EventInformation
}
