package hkpd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

var le = binary.LittleEndian

// packets are the TCP segments of a pcapng file that came from a port.
func packets(file []byte, port uint16) (stream []byte) {
	type segment struct {
		at   uint32
		data []byte
	}
	var list []segment
	for len(file) >= 12 {
		kind, size := le.Uint32(file), le.Uint32(file[4:])
		block := file[:size]
		file = file[size:]
		if kind != 6 { // enhanced packet block
			continue
		}
		frame := block[28 : 28+le.Uint32(block[20:])]
		ip := frame[14:]
		for kind := frame[12:]; binary.BigEndian.Uint16(kind) == 0x8100; kind = kind[4:] { // VLAN
			ip = ip[4:]
		}
		tcp := ip[int(ip[0]&15)*4 : binary.BigEndian.Uint16(ip[2:])]
		data := tcp[int(tcp[12]>>4)*4:]
		if binary.BigEndian.Uint16(tcp) == port && len(data) > 0 {
			list = append(list, segment{binary.BigEndian.Uint32(tcp[4:]), data})
		}
	}
	slices.SortStableFunc(list, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	for i, s := range list {
		if i == 0 || s.at != list[i-1].at {
			stream = append(stream, s.data...)
		}
	}
	return stream
}

// pipe is what went over named pipes in a stream of SMB1 (MS-CIFS): answers of
// transactions and of reads, requests of transactions.
func pipe(stream []byte) (out []byte) {
	for len(stream) >= 4 {
		size := binary.BigEndian.Uint32(stream) & 0x1FFFF
		m := stream[4 : 4+size]
		stream = stream[4+size:]
		words, isReply := m[33:], m[9]&0x80 != 0
		at := 0 // of DataCount and DataOffset, in words
		switch command := m[4]; {
		case command == 0x25 && isReply && m[32] >= 10:
			at = 6
		case command == 0x25 && !isReply && m[32] >= 14:
			at = 11
		case command == 0x2E && isReply && m[32] == 12:
			at = 5
		default:
			continue
		}
		count, offset := le.Uint16(words[2*at:]), le.Uint16(words[2*at+2:])
		if data := m[offset : offset+count]; !bytes.HasPrefix(data, []byte("MZ")) { // a program that was read
			out = append(out, data...)
		}
	}
	return out
}

// stubs are the calls of one kind of PDU, by number, fragments put together.
func stubs(stream []byte, kind byte) map[uint32][]byte {
	out := map[uint32][]byte{}
	for len(stream) >= 24 {
		size := le.Uint16(stream[8:])
		if call := le.Uint32(stream[12:]); stream[2] == kind {
			out[call] = append(out[call], stream[24:size]...)
		}
		stream = stream[size:]
	}
	return out
}

// windowsXP answers as a Windows XP of 2012 did: call by call, what it was asked
// in the same words.
type windowsXP struct {
	t      *testing.T
	values map[string][]rpc.Value // by value name, in order
	sizes  map[string][]uint32    // of the buffers it was asked with
}

func replay(t *testing.T) *windowsXP {
	file, err := os.ReadFile(sharedtest.Path(t, "data/wire/winreg_hkpd_winxp_2012_trim.pcapng"))
	if err != nil {
		t.Fatal(err)
	}
	x := &windowsXP{t: t, values: map[string][]rpc.Value{}, sizes: map[string][]uint32{}}
	const request, response = 0, 2
	answers := stubs(pipe(packets(file, 445)), response)
	for call := uint32(1); call < 100; call++ {
		answer := answers[call]
		if len(answer) <= 24 {
			continue // no such call, or that which opens the key
		}
		v, size := parseAnswer(t, answer)
		name := "238 "
		if call > 4 {
			name = "230 "
		}
		x.values[name] = append(x.values[name], v)
		x.sizes[name] = append(x.sizes[name], size)
	}
	return x
}

// parseAnswer reads the stub of an answer of BaseRegQueryValue.
func parseAnswer(t *testing.T, b []byte) (v rpc.Value, size uint32) {
	t.Helper()
	word := func() uint32 {
		n := le.Uint32(b)
		b = b[4:]
		return n
	}
	if word() != 0 {
		v.Type = word()
	}
	if word() != 0 {
		size = word()
		word() // offset
		n := word()
		v.Data, b = b[:n], b[(n+3)&^3:]
	}
	if word() != 0 {
		v.Needed = word()
	}
	if word() != 0 && word() != uint32(len(v.Data)) {
		t.Fatal("the two lengths differ")
	}
	v.Code = rpc.Code(word())
	return v, size
}

func (x *windowsXP) Close() error { return nil }

func (x *windowsXP) OpenPerformanceData(context.Context) (rpc.Handle, rpc.Code, error) {
	return rpc.Handle{1}, 0, nil
}

func (x *windowsXP) OpenPerformanceText(context.Context) (rpc.Handle, rpc.Code, error) {
	return rpc.Handle{}, 2, nil
}

func (x *windowsXP) OpenPerformanceNLSText(context.Context) (rpc.Handle, rpc.Code, error) {
	return rpc.Handle{}, 2, nil
}

func (x *windowsXP) CloseKey(context.Context, rpc.Handle) (rpc.Handle, rpc.Code, error) {
	return rpc.Handle{}, 0, nil
}

func (x *windowsXP) QueryValue(_ context.Context, _ rpc.Handle, name string, size uint32, dst []byte) (rpc.Value, error) {
	list := x.values[name]
	if len(list) == 0 {
		return rpc.Value{}, fmt.Errorf("nobody asked for %q then", name)
	}
	v := list[0]
	if len(list) > 1 {
		x.values[name] = list[1:]
	}
	if v.Code == 0 && uint32(len(v.Data)) > size {
		v = rpc.Value{Code: rpc.CodeMoreData, Type: 3, Needed: size}
	}
	v.Data = append(dst[:0], v.Data...)
	return v, nil
}

// The recorded sequence is that of the table beside it.
func TestWireSequence(t *testing.T) {
	x := replay(t)
	f, err := os.Open(sharedtest.Path(t, "data/raw/winreg_query_sequence.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := map[string]int{}
	name, size := "", 0
	checked := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		c := strings.Split(lines.Text(), "\t")
		switch {
		case len(c) < 7 || !strings.HasPrefix(c[2], "QueryValue"):
			continue
		case c[1] == "Request":
			name = c[3]
			size, _ = strconv.Atoi(c[4])
			continue
		}
		checked++
		i := at[name]
		at[name]++
		if i >= len(x.values[name]) {
			t.Fatalf("%q was asked %d times only", name, i)
		}
		v := x.values[name][i]
		length, _ := strconv.Atoi(c[5])
		if v.Code != 0 && int(x.sizes[name][i]) != size || len(v.Data) != length || (v.Code == 0) != (c[6] == "WERR_OK") || v.Code != 0 && v.Code != rpc.CodeMoreData {
			t.Errorf("%q, call %d: %d of %d bytes, code %v; want %v", name, i, len(v.Data), x.sizes[name][i], v.Code, c)
		}
	}
	if checked != 12 {
		t.Errorf("%d answers", checked)
	}
}

// Every recorded answer is read without damage: those to buffers that were too
// small hold no object.
func TestWireDecodes(t *testing.T) {
	for name, list := range replay(t).values {
		for i, v := range list {
			if len(v.Data) == 0 {
				continue
			}
			r := perflib.ReadV1(v.Data)
			objects, values := 0, 0
			for ; r.Next(); objects++ {
				o := r.Object()
				counters := o.AppendCounters(nil)
				for it := o.Instances(); it.Next(); {
					for k := range counters {
						if _, size := counters[k].Value(it.Data); size == 0 {
							t.Errorf("%q, instance %q: no value of counter %d", name, o.Text(it.Name), counters[k].NameIndex)
						}
						values++
					}
				}
			}
			if want := map[bool]int{true: 1, false: 0}[v.Code == 0]; r.Err() != nil || objects != want {
				t.Errorf("%q, call %d: %d objects, %v", name, i, objects, r.Err())
			}
			if v.Code == rpc.CodeMoreData && binary.LittleEndian.Uint32(v.Data[20:]) != 0 {
				t.Errorf("a header of %d bytes", binary.LittleEndian.Uint32(v.Data[20:]))
			}
			if want := map[string]int{"238 ": 2 * 15, "230 ": 28 * 27}[name]; v.Code == 0 && values != want {
				t.Errorf("%q: %d values", name, values)
			}
		}
	}
}

// The source reads what the recorded host answers: it goes through the answers
// that ask for more, and tells the processes of one name apart.
func TestWireThroughTheSource(t *testing.T) {
	x := replay(t)
	process := &session.Counterset{V1Index: 230, Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{
		{ID: 6, Name: "% Processor Time", Type: cooker.Timer100ns}, {ID: 784, Name: "ID Process", Type: cooker.CounterRawCount},
		{ID: 684, Name: "Elapsed Time", Type: cooker.ElapsedTime}, {ID: 1410, Name: "Creating Process ID", Type: cooker.CounterRawCount},
	}}
	processor := &session.Counterset{V1Index: 238, Name: "Processor", Instances: session.MultipleInstances, Counters: []session.Counter{
		{ID: 6, Name: "% Processor Time", Type: cooker.Timer100nsInv}, {ID: 1758, Name: "C3 Transitions/sec", Type: cooker.CounterBulkCount},
	}}
	s := New(Options{Reach: Reach{Host: "xp", Dial: func(context.Context) (Conn, error) { return x, nil }}})
	for _, c := range []struct {
		set       *session.Counterset
		counters  []int
		instances int
	}{{processor, []int{0, 1}, 2}, {process, []int{0, 1, 2, 3}, 28}} {
		q, err := s.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b session.Batch
		if err := q.Select(t.Context(), []session.Want{{Set: c.set, Counters: c.counters}}); err != nil {
			t.Fatal(err)
		}
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		set := &b.Sets[0]
		if set.Err != nil || len(set.Instances) != c.instances {
			t.Fatalf("%s: %d instances, %v", c.set.Name, len(set.Instances), set.Err)
		}
		for _, r := range set.Readings {
			if r.State != cooker.OK {
				t.Errorf("%s: %+v", c.set.Name, r)
			}
		}
		seen := map[session.InstanceKey]bool{}
		for i, in := range set.Instances {
			if seen[in.Key] {
				t.Errorf("%v twice", in.Key)
			}
			seen[in.Key] = true
			total, idle := in.Key.Name == "_Total", in.Key.Name == "Idle"
			if total != (in.Flags&session.FlagTotal != 0) || idle != (in.Flags&session.FlagIdle != 0) {
				t.Errorf("%v: flags %b", in.Key, in.Flags)
			}
			if c.set == process && !total && !idle {
				age, _ := cooker.Cook(cooker.ElapsedTime, nil, &set.Row(i)[2], nil, &set.Clocks, nil).Float()
				started := set.Row(i)[2].Raw != 0 // System has no start
				if in.Number == 0 || in.Key.ID == 0 || started && (age <= 0 || age > 30*24*3600) {
					t.Errorf("%v: number %d, %v s old", in.Key, in.Number, age)
				}
			}
		}
	}
}
