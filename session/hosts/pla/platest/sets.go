package platest

import (
	"cmp"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// Results of MS-PLA.
const (
	notFound     dcom.Result = 0x80300002
	inUse        dcom.Result = 0x803000AA
	exists       dcom.Result = 0x803000B7
	notRunning   dcom.Result = 0x80300104
	badName      dcom.Result = 0x8007007B
	accessDenied dcom.Result = 0x80070005
)

// instance makes an object of a class; nil: there is none such. h.mu is held.
func (h *Host) instance(class dcom.GUID) *object {
	for of, c := range pla.Classes {
		switch class {
		case c.Set:
			return h.object(&instance{of: pla.Category(of)}, pla.OfSet)
		case c.Collection:
			return h.object(&collection{of: pla.Category(of)}, pla.OfCollection)
		}
	}
	return nil
}

// collection is the sets of a category as they were when it was asked to get them.
type collection struct {
	of   pla.Category
	sets []string
	more int // behind those
}

// instance is a set as a client has it: a stored one, or one that it makes.
type instance struct {
	of       pla.Category
	Set      // as it was when it was queried, with what was changed since
	password string
	stored   bool
}

// items are the elements of a value map.
type items []*object

// served are the interfaces of the process with the sets.
var served = []struct {
	rpc.Interface

	methods map[uint16]method
}{
	{pla.OfCollection, map[uint16]method{
		7: {"Count", func(k *call) (any, error) {
			c := of[*collection](k)
			return k.host.counted(len(c.sets) + c.more), k.end()
		}, asCount},
		8: {"Item", func(k *call) (any, error) {
			at, err := k.index()
			if err != nil {
				return nil, err
			}
			o := k.host.item(of[*collection](k), at)
			if o == nil {
				return nil, invalid
			}
			return k.host.reference(o), nil
		}, asReference},
		14: {"GetDataCollectorSets", func(k *call) (any, error) {
			var server, filter dcom.BSTR
			server.Unique(k.n)
			filter.Unique(k.n)
			c := of[*collection](k)
			c.sets, c.more = nil, k.host.o.More[c.of]
			for _, s := range k.host.sets[c.of] {
				c.sets = append(c.sets, s.Name)
			}
			return nil, k.end()
		}, nil},
	}},
	{pla.OfSet, map[uint16]method{
		18: {"LatestOutputLocation", property(func(s *Set) any { return s.Output }), asText},
		20: {"Name", func(k *call) (any, error) {
			name, err := property(func(s *Set) any { return s.Name })(k)
			if text, is := name.(string); is && k.host.o.Prefixed {
				name = of[*instance](k).of.String() + `\` + text
			}
			return name, err
		}, asText},
		22: {"RootPath", property(func(s *Set) any { return s.Root }), asText},
		33: {"Status", property(func(s *Set) any { return s.Status }), func(n *dcom.NDR, v any) {
			s, _ := v.(pla.Status)
			n.U16((*uint16)(&s))
		}},
		51: {"UserAccount", property(func(s *Set) any { return s.Account }), asText},
		52: {"Xml", property(func(s *Set) any { return s.XML }), asText},
		53: {"Security", property(func(s *Set) any { return s.Security }), asText},
		58: {"SetCredentials", setCredentials, nil},
		59: {"Query", query, nil},
		60: {"Commit", commit, asReference},
		61: {"Delete", remove, nil},
		62: {"Start", start, nil},
		63: {"Stop", stop, nil},
		64: {"SetXml", setXML, asReference},
	}},
	{pla.OfMap, map[uint16]method{
		7: {"Count", func(k *call) (any, error) { return k.host.counted(len(of[items](k))), k.end() }, asCount},
		8: {"Item", func(k *call) (any, error) {
			at, err := k.index()
			all := of[items](k)
			if err == nil && (at < 0 || at >= len(all)) {
				err = invalid
			}
			if err != nil {
				return nil, err
			}
			return k.host.reference(all[at]), nil
		}, asReference},
	}},
	{pla.OfItem, map[uint16]method{
		7:  {"Description", ofProblem(func(p pla.Problem) any { return p.Text }), asText},
		11: {"Key", ofProblem(func(p pla.Problem) any { return p.Key }), asText},
		13: {"Value", ofProblem(func(p pla.Problem) any { return p.Code }), func(n *dcom.NDR, v any) {
			code, _ := v.(uint32)
			value := dcom.Variant{Type: dcom.I4, Bits: uint64(code)}
			value.Code(n)
		}},
	}},
}

// of is what an object of a call is: its interfaces say so.
func of[T any](k *call) (v T) {
	v, _ = k.of.value.(T)
	return v
}

func asText(n *dcom.NDR, v any) {
	var b dcom.BSTR
	if s, is := v.(string); is {
		b = dcom.Text(s)
	}
	b.Code(n)
}

func asReference(n *dcom.NDR, v any) {
	b, _ := v.([]byte)
	n.Interface(&b)
}

func asCount(n *dcom.NDR, v any) {
	count, _ := v.(uint32)
	n.U32(&count)
}

// counted is how many items a collection says it has.
func (h *Host) counted(n int) uint32 {
	if h.o.Count != nil {
		return h.o.Count(n)
	}
	return uint32(n)
}

// text reads an argument.
func (k *call) text() string {
	var b dcom.BSTR
	b.Code(k.n)
	return b.String()
}

// index reads an argument of Item.
func (k *call) index() (int, error) {
	var v dcom.Variant
	if v.Code(k.n); k.end() != nil {
		return 0, k.end()
	}
	if v.Type != dcom.I4 && v.Type != dcom.UI4 {
		return 0, invalid
	}
	return int(int32(v.Bits)), nil
}

// item is an element of a collection; nil: there is none. h.mu is held.
func (h *Host) item(c *collection, at int) *object {
	s := Set{}
	switch {
	case at < 0 || at >= len(c.sets)+c.more:
		return nil
	case at >= len(c.sets):
		s.Name = "More " + strconv.Itoa(at)
	default:
		is := h.find(c.of, c.sets[at])
		if is == nil {
			return nil
		}
		s = *is
	}
	return h.object(&instance{of: c.of, Set: s, stored: at < len(c.sets)}, pla.OfSet)
}

// property reads a property of a set. How a stored one stands is as it is now.
func property(get func(s *Set) any) func(k *call) (any, error) {
	return func(k *call) (any, error) {
		i := of[*instance](k)
		s := i.Set
		if i.stored {
			is := k.host.find(i.of, s.Name)
			if is == nil {
				return nil, notFound
			}
			s.Status, s.Output = is.Status, is.Output
		}
		return get(&s), k.end()
	}
}

func ofProblem(get func(p pla.Problem) any) func(k *call) (any, error) {
	return func(k *call) (any, error) { return get(of[pla.Problem](k)), k.end() }
}

func query(k *call) (any, error) {
	name := k.text()
	var server dcom.BSTR
	if server.Unique(k.n); k.end() != nil {
		return nil, k.end()
	}
	i := of[*instance](k)
	if name = k.host.bare(i.of, name); strings.ContainsAny(name, `\/:*?"<>|`) {
		return nil, badName
	}
	is := k.host.find(i.of, name)
	if is == nil {
		return nil, notFound
	}
	i.Set, i.stored = *is, true
	return nil, nil
}

func setCredentials(k *call) (any, error) {
	user, password := k.text(), k.text()
	if k.end() != nil {
		return nil, k.end()
	}
	i := of[*instance](k)
	i.Account, i.password = user, password
	return nil, nil
}

// parsed is what the host looks at of the XML of a set.
type parsed struct {
	RootPath             string `xml:"RootPath"`
	Security             string `xml:"Security"`
	LatestOutputLocation string `xml:"LatestOutputLocation"`
}

func parse(text string) (p parsed, err error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it says UTF-16, and is text here
	err = d.Decode(&p)
	return p, err
}

func setXML(k *call) (any, error) {
	text := k.text()
	if k.end() != nil {
		return nil, k.end()
	}
	x, err := parse(text)
	if err != nil {
		return nil, invalid
	}
	i := of[*instance](k)
	i.XML, i.Root, i.Security = text, x.RootPath, cmp.Or(x.Security, i.Security)
	return k.host.findings(text), nil
}

// findings is a value map of what is wrong with a set.
func (h *Host) findings(text string) []byte {
	all := items{}
	if h.o.Findings != nil {
		for _, p := range h.o.Findings(text) {
			all = append(all, h.object(p, pla.OfItem))
		}
	}
	return h.reference(h.object(all, pla.OfMap))
}

// bare is a name without its category, on a host that has names with it; a name without is one
// that it does not take there.
func (h *Host) bare(of pla.Category, name string) string {
	if !h.o.Prefixed {
		return name
	}
	if bare, is := strings.CutPrefix(name, of.String()+`\`); is {
		return bare
	}
	return ":"
}

func commit(k *call) (any, error) {
	name := k.text()
	var server dcom.BSTR
	server.Unique(k.n)
	var bits uint16
	if k.n.U16(&bits); k.end() != nil {
		return nil, k.end()
	}
	h, i, mode := k.host, of[*instance](k), pla.Mode(bits)
	name = h.bare(i.of, name)
	is := h.find(i.of, name)
	switch {
	case i.of == pla.System:
		return nil, notImplemented
	case name == "" || strings.ContainsAny(name, `\/:*?"<>|`):
		return nil, badName
	case mode&(pla.Create|pla.Modify) == pla.Create && is != nil:
		return nil, exists
	case mode&(pla.Create|pla.Modify) == pla.Modify && is == nil:
		return nil, notFound
	}
	if mode&pla.Validate == 0 {
		s := i.Set
		if s.Name = name; is != nil {
			s.Name, s.Status, s.Output = is.Name, is.Status, is.Output
		} else if i.of == pla.Autosession {
			s.Status = pla.Undefined
		}
		h.store(i.of, &s)
		i.Set, i.stored = s, true
	}
	return h.findings(i.XML), nil
}

// live is the stored set of an instance; h.mu is held.
func (k *call) live() (*Set, error) {
	i := of[*instance](k)
	switch is := k.host.find(i.of, i.Name); {
	case !i.stored:
		return nil, invalid
	case is == nil:
		return nil, notFound
	default:
		return is, nil
	}
}

// remove removes a set; h.mu is held.
func (h *Host) remove(of pla.Category, name string) {
	h.sets[of] = slices.DeleteFunc(h.sets[of], func(s *Set) bool { return strings.EqualFold(s.Name, name) })
}

func remove(k *call) (any, error) {
	s, err := k.live()
	switch {
	case err == invalid: //nolint:errorlint // a constant
		return nil, notFound
	case err != nil:
		return nil, err
	case s.Status == pla.Running:
		return nil, inUse
	}
	k.host.remove(of[*instance](k).of, s.Name)
	return nil, k.end()
}

// turn starts or stops a set, which takes its time.
func turn(k *call, from, to pla.Status, otherwise dcom.Result) (*Set, error) {
	var synchronous bool
	if k.n.Bool(&synchronous); k.end() != nil {
		return nil, k.end()
	}
	if of[*instance](k).of == pla.Autosession {
		return nil, notImplemented
	}
	s, err := k.live()
	if err != nil {
		return nil, err
	}
	if s.Status != from {
		return nil, otherwise
	}
	if s.Status = pla.Compiling; k.host.o.Takes > 0 {
		k.sleep(k.host.o.Takes)
	}
	s.Status = to
	return s, nil
}

func start(k *call) (any, error) {
	s, err := turn(k, pla.Stopped, pla.Running, inUse)
	if err == nil {
		s.Output = strings.TrimSuffix(s.Root, `\`) + `\FAKE_20261130-000001`
	}
	return nil, err
}

func stop(k *call) (any, error) {
	_, err := turn(k, pla.Running, pla.Stopped, notRunning)
	return nil, err
}
