package capture

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/session/text/printable"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/rpc/scm"
)

// ObjectCall is a call of a method by DCOM, or an answer to a bind, as a line has it.
type ObjectCall struct {
	Bind       []Bind  `json:"bind,omitempty"`
	SideBySide bool    `json:"side_by_side,omitempty"` // the host takes several calls at once
	Second     float64 `json:"s"`                      // since the first line
	Name       string  `json:"name,omitempty"`         // of the interface
	Interface  string  `json:"interface,omitempty"`    // as it travels, hexadecimal
	Object     string  `json:"object,omitempty"`       // likewise; absent: of none
	Op         uint16  `json:"op"`
	Request    string  `json:"request,omitempty"`
	Reply      string  `json:"reply,omitempty"`
	Size       int     `json:"size,omitempty"` // of the reply
	Code       uint32  `json:"code,omitempty"` // of a fault
	Withheld   string  `json:"withheld,omitempty"`
}

// Bind is the answer to an interface.
type Bind struct {
	Name      string `json:"name"`
	Interface string `json:"interface"`
	Result    uint16 `json:"result"`
	Reason    uint16 `json:"reason,omitempty"`
}

// Objects hears what a host answers to a listing by DCOM, and writes it to out, each by one
// Write: answers to binds, and stubs without what names anything of the host. What is not known
// to name nothing is withheld. With sizesOnly no bytes are kept.
func Objects(out io.Writer, sizesOnly bool) *rpc.Heard {
	w := &objectWriter{out: out, sizesOnly: sizesOnly, began: time.Now()}
	return &rpc.Heard{Bound: w.bound, Called: w.called}
}

type objectWriter struct {
	out       io.Writer
	sizesOnly bool
	began     time.Time

	mu sync.Mutex
}

func (w *objectWriter) write(line ObjectCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	line.Second = float64(time.Since(w.began).Microseconds()) / 1e6
	if text, err := json.Marshal(line); err == nil {
		_, _ = w.out.Write(append(printable.EscapeJSON(text), '\n'))
	}
}

func hexOf(id [16]byte) string { return hex.EncodeToString(id[:]) }

func (w *objectWriter) bound(b rpc.Bound) {
	line := ObjectCall{SideBySide: b.SideBySide}
	for _, a := range b.Answers {
		line.Bind = append(line.Bind, Bind{a.Interface.String(), hexOf(a.Interface.ID()), a.Result, a.Reason})
	}
	w.write(line)
}

func (w *objectWriter) called(k *rpc.Outgoing, stub []byte, fault error) {
	line := ObjectCall{Name: k.Interface.String(), Interface: hexOf(k.Interface.ID()), Op: k.Op, Size: len(stub)}
	if k.Object != ([16]byte{}) {
		line.Object = hexOf(k.Object)
	}
	if e, ok := errors.AsType[*rpc.Error](fault); ok {
		line.Code = uint32(e.Code)
	}
	blank, known := blanks[method{k.Interface.ID(), k.Op}]
	switch {
	case w.sizesOnly:
	case !known:
		line.Withheld = "it is no call of a listing"
	default:
		line.Request = hex.EncodeToString(k.Args)
		reply, err := blanked(stub, blank)
		if err != nil && fault == nil {
			line.Withheld = err.Error()
		}
		line.Reply = hex.EncodeToString(reply)
	}
	w.write(line)
}

// method is one of an interface.
type method struct {
	iid dcom.GUID
	op  uint16
}

// blank finds the texts in a reply, each as it travels with what stands around it, and as it is
// written down.
type blank func(stub []byte) (texts []replacement, err error)

type replacement struct{ is, to []byte }

// The interfaces of sets and of their collections, MS-PLA 1.9.
var (
	ofSet        = rpc.ParseUUID("03837520-098b-11d8-9414-505054503030")
	ofCollection = rpc.ParseUUID("03837524-098b-11d8-9414-505054503030")
)

// blanks are the calls of a listing, MS-DCOM 3.1.2.5 and MS-PLA 3.2.4.
var blanks = map[method]blank{
	{dcom.IObjectExporter, dcom.OpServerAlive2}:          ofAlive,
	{dcom.IRemoteActivator, dcom.OpRemoteCreateInstance}: ofCreated,
	{dcom.IRemUnknown, dcom.OpRemAddRef}:                 nothing,
	{dcom.IRemUnknown, dcom.OpRemRelease}:                nothing,
	{ofCollection, 7}:                                    nothing, // Count
	{ofCollection, 8}:                                    ofReference,
	{ofCollection, 14}:                                   nothing, // GetDataCollectorSets
	{ofSet, 20}:                                          ofText,  // Name
	{ofSet, 33}:                                          nothing, // Status
	{rpc.MSSCMR.ID(), 0}:                                 nothing, // the rest is of a service manager, MS-SCMR 3.1.4
	{rpc.MSSCMR.ID(), scm.OpOldList}:                     ofServices(scm.OpOldList),
	{rpc.MSSCMR.ID(), 15}:                                nothing,
	{rpc.MSSCMR.ID(), scm.OpList}:                        ofServices(scm.OpList),
	{rpc.MSEVEN.ID(), 2}:                                 nothing, // the rest is of event logs, MS-EVEN 3.1.4
	{rpc.MSEVEN.ID(), 4}:                                 nothing,
	{rpc.MSEVEN.ID(), 5}:                                 nothing,
	{rpc.MSEVEN.ID(), 7}:                                 nothing,
	{rpc.MSEVEN.ID(), 10}:                                ofRecords,
}

func nothing([]byte) ([]replacement, error) { return nil, nil }

func ofAlive(stub []byte) ([]replacement, error) {
	var a dcom.Alive
	err := dcom.Decode(stub, &a)
	return ofBindings(a.Resolver), err
}

func ofCreated(stub []byte) (out []replacement, err error) {
	var c dcom.Created
	if err := dcom.Decode(stub, &dcom.That{}, &c); err != nil {
		return nil, err
	}
	out = ofBindings(c.Exporter)
	for _, i := range c.Interfaces {
		more, err := ofObject(i.Reference)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func ofReference(stub []byte) ([]replacement, error) {
	n := dcom.Read(stub)
	(&dcom.That{}).Code(n)
	var b []byte
	n.Interface(&b)
	if err := n.Err(); err != nil {
		return nil, err
	}
	return ofObject(b)
}

func ofObject(b []byte) ([]replacement, error) {
	var r dcom.Reference
	if b == nil {
		return nil, nil
	}
	err := dcom.Decode(b, &r)
	return ofBindings(r.Resolver), err
}

// ofBindings are the addresses and names of bindings: of an address the port stays.
func ofBindings(b dcom.Bindings) (out []replacement) {
	for _, a := range b.Addresses {
		host, port := a.Address, ""
		if at := strings.LastIndexByte(a.Address, '['); at >= 0 {
			host, port = a.Address[:at], a.Address[at:]
		}
		out = append(out, replaced([]uint16{a.Tower}, host, port))
	}
	for _, p := range b.Security {
		out = append(out, replaced([]uint16{p.Service, 0xffff}, p.Name, ""))
	}
	return out
}

func replaced(before []uint16, text, rest string) replacement {
	whole := func(name []byte) (b []byte) {
		for _, u := range before {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return append(slices.Concat(b, name, perflib.UTF16(rest)), 0, 0)
	}
	name := perflib.UTF16(text)
	return replacement{whole(name), whole(hidden(name))}
}

// hidden is a text in UTF-16 of which nothing is told but how long it is.
func hidden(text []byte) []byte {
	return bytes.Repeat([]byte{'x', 0}, (len(text)+1)/2)[:len(text)]
}

// ofServices are the names in a list.
func ofServices(op uint16) blank {
	return func(stub []byte) (out []replacement, err error) {
		list, err := scm.ReadList(op, stub)
		for _, s := range list {
			for _, text := range []string{s.Title, s.Name} {
				if text != "" {
					out = append(out, replaced(nil, text, ""))
				}
			}
		}
		slices.SortStableFunc(out, func(a, b replacement) int { return len(b.is) - len(a.is) }) // one may be the end of another
		return out, err
	}
}

// ofRecords is the buffer of a read of an event log: of records (MS-EVEN 2.2.3) their heads stay,
// and where the texts behind these end.
func ofRecords(stub []byte) ([]replacement, error) {
	const size, results, head, signature, end = 4, 12, 56, 0x654c664c, 4
	if len(stub) < size+results {
		return nil, errTells
	}
	buffer := stub[size : len(stub)-results]
	if len(buffer) == 0 {
		return nil, nil
	}
	out := bytes.Clone(buffer)
	for b := out; len(b) > 0; {
		if len(b) < head+end || binary.LittleEndian.Uint32(b[4:]) != signature {
			clear(b) // it was not read
			break
		}
		length := min(max(int(binary.LittleEndian.Uint32(b)), head+end), len(b))
		for i := head; i < length-end; i++ {
			if b[i] != 0 {
				b[i] = 'x'
			}
		}
		b = b[length:]
	}
	return []replacement{{buffer, out}}, nil
}

// ofText is a BSTR, MS-OAUT 2.2.23.
func ofText(stub []byte) ([]replacement, error) {
	var b dcom.BSTR
	n := dcom.Read(stub)
	(&dcom.That{}).Code(n)
	if b.Code(n); n.Err() != nil || len(b) == 0 {
		return nil, n.Err()
	}
	return []replacement{{b, hidden(b)}}, nil
}

var errTells = errors.New("it may name something of the host")

// blanked is a reply without the texts in it. One that has more than is looked for has none.
func blanked(stub []byte, find blank) ([]byte, error) {
	if stub == nil {
		return nil, nil
	}
	texts, err := find(stub)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(stub)
	for _, t := range texts {
		out = bytes.ReplaceAll(out, t.is, t.to)
	}
	again, err := find(out)
	if err != nil || len(again) != len(texts) {
		return nil, errTells
	}
	for _, t := range again {
		if !bytes.Equal(t.is, t.to) {
			return nil, errTells
		}
	}
	if hasText(out) {
		return nil, errTells
	}
	return out, nil
}

// hasText tells whether there are several letters or digits in a row, as UTF-16 or ASCII has them,
// but for what blanks leave: x, and ports.
func hasText(b []byte) bool {
	const most = 4
	for _, step := range []int{1, 2} {
		for from := range step {
			row, port := 0, false
			for i := from; i+step <= len(b); i += step {
				c := b[i]
				isText := c >= ' ' && c < 0x7f && (step == 1 || b[i+1] == 0)
				switch {
				case !isText:
					row, port = 0, false
				case c == '[' || c == ']':
					row, port = 0, c == '['
				case c == 'x' || port && c >= '0' && c <= '9':
				default:
					if row++; row >= most && (step == 2 || row >= 4*most) {
						return true
					}
				}
			}
		}
	}
	return false
}
