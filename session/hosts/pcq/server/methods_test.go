package server

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

var (
	diskGUID   = CountersetGUID("Disk")
	memoryGUID = mustGUID("{cccccccc-0000-4000-8000-000000000001}")
	otherGUID  = mustGUID("{dddddddd-0000-4000-8000-000000000001}")
)

func mustGUID(s string) perflib.GUID {
	g, err := perflib.ParseGUID(s)
	if err != nil {
		panic(err)
	}
	return g
}

func TestEnumerate(t *testing.T) {
	_, c := newSession(t, newTable())
	for inSize, want := range map[uint32]rpc.Array{
		0: {Code: rpc.CodeNotEnoughMemory, Needed: 2},
		1: {Code: rpc.CodeNotEnoughMemory, Needed: 2},
		2: {Needed: 2, Data: slices.Concat(diskGUID[:], memoryGUID[:])},
	} {
		got, err := c.EnumerateCounterSet(t.Context(), inSize)
		if err != nil || got.Code != want.Code || got.Needed != want.Needed || !slices.Equal(got.Data, want.Data) {
			t.Errorf("size %d: %+v, %v", inSize, got, err)
		}
	}
}

func TestRegistration(t *testing.T) {
	_, c := newSession(t, newTable())
	ask := func(set perflib.GUID, code perflib.RequestCode, lcid uint32) rpc.Array {
		t.Helper()
		a, err := c.QueryCounterSetRegistrationInfo(t.Context(), set, uint32(code), lcid, enough)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	info, err := perflib.DecodeCounterset(ask(diskGUID, perflib.CountersetStruct, 0).Data)
	if err != nil || info.GUID != diskGUID || info.Instances != session.MultipleInstances || len(info.Counters) != 4 {
		t.Fatalf("%+v, %v", info, err)
	}
	for _, in := range info.Counters {
		one, err := perflib.DecodeCounter(ask(diskGUID, perflib.CounterStruct, in.ID).Data)
		if err != nil || one != in {
			t.Errorf("counter %d: %+v, %v", in.ID, one, err)
		}
	}
	for code, want := range map[perflib.RequestCode]string{
		perflib.CountersetName: "Disk", perflib.CountersetHelp: "Disks.", perflib.ProviderName: "table", perflib.EnglishName: "Disk",
	} {
		if got, err := perflib.DecodeString(ask(diskGUID, code, 0x409).Data); err != nil || got.String() != want {
			t.Errorf("code %d: %q, %v", code, got, err)
		}
	}
	for code, want := range map[perflib.RequestCode]string{
		perflib.CounterNames:        "5 Queue, 6 Bytes, 7 sec/Read, 1073741831 sec/Read Base, ",
		perflib.EnglishCounterNames: "5 Queue, 6 Bytes, 7 sec/Read, 1073741831 sec/Read Base, ",
		perflib.CounterHelps:        "5 Length., 6 -, 7 -, 1073741831 -, ",
	} {
		list, err := perflib.DecodeStrings(ask(diskGUID, code, 0).Data)
		got := ""
		for _, s := range list {
			if s.Text == nil {
				s.Text = perflib.EncodeText("-")
			}
			got += fmt.Sprintf("%d %s, ", s.ID, s.Text)
		}
		if err != nil || got != want {
			t.Errorf("code %d: %s, %v", code, got, err)
		}
	}
	if guid, err := perflib.DecodeGUID(ask(diskGUID, perflib.ProviderGUID, 0).Data); err != nil || guid != ProviderGUID("table") {
		t.Errorf("provider %v, %v", guid, err)
	}
	for _, row := range []struct {
		set  perflib.GUID
		code perflib.RequestCode
		lcid uint32
		want rpc.Code
	}{
		{diskGUID, 0, 0, rpc.CodeInvalidParameter},
		{diskGUID, 11, 0, rpc.CodeInvalidParameter},
		{otherGUID, perflib.CountersetName, 0, rpc.CodeGUIDNotFound},
		{diskGUID, perflib.CounterStruct, 8, rpc.CodeItemNotFound}, // not on this system
		{diskGUID, perflib.CountersetName, 0x407, rpc.CodeLanguageNotFound},
		{diskGUID, perflib.CounterHelps, 0x407, rpc.CodeLanguageNotFound},
		{diskGUID, perflib.CountersetName, 0x809, rpc.CodeOK},
		{diskGUID, perflib.EnglishName, 0x407, rpc.CodeOK},
		{memoryGUID, perflib.CountersetHelp, 0, rpc.CodeNotFound},
	} {
		if got := ask(row.set, row.code, row.lcid).Code; got != row.want {
			t.Errorf("%v code %d LCID %#x: %v, want %v", row.set, row.code, row.lcid, got, row.want)
		}
	}
}

// Companions that the source keeps inside its readings are counters of their
// own on the wire.
func TestCompanions(t *testing.T) {
	h, _ := newSession(t, newTable())
	disk, memory := h.byGUID[diskGUID], h.byGUID[memoryGUID]
	read := disk.info.Counters[disk.byID[7]]
	base := disk.info.Counters[disk.byID[read.BaseID]]
	if base.Type != cooker.AverageBase || !base.Attributes.Hidden() {
		t.Errorf("base %+v", base)
	}
	up := memory.info.Counters[memory.byID[2]]
	for _, id := range []uint32{up.PerfTimeID, up.PerfFreqID} {
		if i, ok := memory.byID[id]; !ok || memory.info.Counters[i].Type != cooker.CounterLargeRawCount {
			t.Errorf("clock %#x is not published: %+v", id, up)
		}
	}
	// A counter that has the wanted number already moves it on.
	set := newTable().cat.Sets[0]
	set.Counters[0].ID = baseIDs + 7
	moved := newCounterset(set)
	if got := moved.info.Counters[moved.byID[7]].BaseID; got != baseIDs+8 {
		t.Errorf("base %#x, want %#x", got, baseIDs+8)
	}
}

// decodeInstances reads the answer of EnumerateCounterSetInstances (MS-PCQ 2.2.4.5).
func decodeInstances(buf []byte) (list []perflib.Instance, err error) {
	const header = 8
	for len(buf) > 0 {
		size := binary.LittleEndian.Uint32(buf)
		name, err := perflib.DecodeString(buf[header:size])
		if err != nil {
			return list, err
		}
		list = append(list, perflib.Instance{ID: binary.LittleEndian.Uint32(buf[4:]), Name: name})
		buf = buf[size:]
	}
	return list, nil
}

func TestInstances(t *testing.T) {
	source := newTable()
	_, c := newSession(t, source)
	ask := func(set perflib.GUID) rpc.Array {
		t.Helper()
		a, err := c.EnumerateCounterSetInstances(t.Context(), set, enough)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	list, err := decodeInstances(ask(diskGUID).Data)
	if err != nil || len(list) != 4 || list[0].Name.String() != "sda" || list[2].ID != 3 || list[3].Name.String() != "bus/x" {
		t.Errorf("%v, %v", list, err)
	}
	if list, err = decodeInstances(ask(memoryGUID).Data); err != nil || len(list) != 1 || len(list[0].Name) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if got := ask(otherGUID).Code; got != rpc.CodeGUIDNotFound {
		t.Error(got)
	}
	source.rows["Disk"] = nil
	if got := ask(diskGUID).Code; got != rpc.CodeInstanceNotFound {
		t.Error(got)
	}
	source.rows["Memory"] = make([]session.Instance, 2)
	if got := ask(memoryGUID).Code; got != rpc.CodeInvalidRegInfo {
		t.Error(got)
	}
	source.errs["Disk"] = fmt.Errorf("disk: %w", session.ErrDenied)
	if got := ask(diskGUID).Code; got != rpc.CodeAccessDenied {
		t.Error(got)
	}
	if n := source.open.Load(); n != 0 {
		t.Errorf("%d queries are left open", n)
	}
}

// Every method and every kind of block, from an own client over the wire.
func TestOverTheWire(t *testing.T) {
	port, _ := serve(t, newTable(), nil)
	c := dial(t, port)
	if a, err := c.EnumerateCounterSet(t.Context(), 256); err != nil || len(a.Data) != 32 {
		t.Fatalf("%+v, %v", a, err)
	}
	if a, err := c.QueryCounterSetRegistrationInfo(t.Context(), diskGUID, 1, 0, enough); err != nil || a.Code != rpc.CodeOK {
		t.Fatalf("%+v, %v", a, err)
	}
	if a, err := c.EnumerateCounterSetInstances(t.Context(), diskGUID, enough); err != nil || a.Code != rpc.CodeOK {
		t.Fatalf("%+v, %v", a, err)
	}
	h := openHandle(t, c)
	statuses := add(t, c, h, true, everyKind...)
	if slices.ContainsFunc(statuses, func(c rpc.Code) bool { return c != rpc.CodeOK }) {
		t.Fatal(statuses)
	}
	checkInfo(t, c, h, everyKind)
	checkEveryKind(t, collect(t, c, h))
	if got := add(t, c, h, false, everyKind[1], everyKind[1]); got[0] != rpc.CodeOK || got[1] != rpc.CodeInvalidParameter {
		t.Error(got)
	}
	checkInfo(t, c, h, slices.Delete(slices.Clone(everyKind), 1, 2))
	null, code, err := c.CloseQueryHandle(t.Context(), h)
	if err != nil || code != rpc.CodeOK || !null.IsNull() {
		t.Errorf("close: %v, %v, %v", null, code, err)
	}
}

// everyKind asks for each kind of block.
var everyKind = []perflib.Identifier{
	ident(diskGUID, 5, "SDB"),
	ident(diskGUID, perflib.AllCounters, "sda"),
	ident(diskGUID, 6, "sd?"),
	ident(diskGUID, perflib.AllCounters, "*"),
	ident(memoryGUID, 1, ""),
	ident(memoryGUID, perflib.AllCounters, ""),
	ident(diskGUID, 5, "no such"),
	{Counterset: diskGUID, CounterID: 5, InstanceID: 3, Name: perflib.EncodeText("*")},
	ident(diskGUID, 5, "none*"),
}

func checkInfo(t *testing.T, p rpc.PerflibV2, h rpc.Handle, want []perflib.Identifier) {
	t.Helper()
	a, err := p.QueryCounterInfo(t.Context(), h, enough)
	if err != nil || a.Code != rpc.CodeOK {
		t.Fatalf("%v, %v", a.Code, err)
	}
	got, err := perflib.DecodeIdentifiers(a.Data)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d identifiers, want %d, %v", len(got), len(want), err)
	}
	for i := range got {
		if got[i].Index != uint32(i) || got[i].CounterID != want[i].CounterID || !slices.Equal(got[i].Name, want[i].Name) {
			t.Errorf("identifier %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

// checkEveryKind looks at the blocks that answer everyKind. Raws of the table
// are 2^32 + 100 * instance + counter, bases 2^33 + counter.
func checkEveryKind(t *testing.T, r perflib.DataReader) {
	t.Helper()
	got := ""
	for r.Next() {
		b := r.Block()
		got += fmt.Sprintf("%d/%d", b.Kind, b.Status)
		switch b.Kind {
		case perflib.KindCounter, perflib.KindCounters:
			for v := b.Values(); v.Next(); {
				got += " " + number(v.Value)
			}
		case perflib.KindInstances, perflib.KindCounterset:
			for in := b.Instances(); in.Next(); {
				got += " " + in.Name.String()
				for in.Values.Next() {
					got += ":" + number(in.Values.Value)
				}
			}
		}
		got += "\n"
	}
	const G uint64 = 1 << 32
	want := "1/0 200 4\n" +
		"2/0 100 4 " + fmt.Sprint(G+101) + " 8 " + fmt.Sprint(G+102) + " 8 " + fmt.Sprint(2*G+2) + " 8\n" +
		"4/0 sda:" + fmt.Sprint(G+101) + " 8 sdb:" + fmt.Sprint(G+201) + " 8 SDA:" + fmt.Sprint(G+301) + " 8\n" +
		"6/0" + all(G, "sda", 100) + all(G, "sdb", 200) + all(G, "SDA", 300) + all(G, "bus/x", (1<<40)*100%1000) + "\n" +
		"1/0 " + fmt.Sprint(G) + " 8\n" +
		"2/0 " + fmt.Sprint(G) + " 8 " + fmt.Sprint(G+1) + " 8 77 8 10 8\n" +
		"0/232\n" +
		"4/0 SDA:300 4\n" +
		"4/0\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	if h := r.Header(); h.PerfFreqHz != 1e9 || h.Time100ns/1e15 != 133 || h.System.Year != 2024 {
		t.Errorf("%+v", h)
	}
}

func all(g uint64, name string, n uint64) string {
	return fmt.Sprintf(" %s:%d 4:%d 8:%d 8:%d 8", name, n, g+n+1, g+n+2, 2*g+2)
}

func number(v perflib.Value) string {
	n, _ := v.Uint64()
	return fmt.Sprint(n, len(v))
}

// Readings without a value never become a 0.
func TestStates(t *testing.T) {
	source := newTable()
	states := map[string]cooker.Status{"Queue": cooker.Gone, "Bytes": cooker.Denied, "sec/Read": cooker.NoBase}
	source.read = func(set *session.Counterset, _ *session.Instance, c int) cooker.Reading {
		return cooker.Reading{Raw: 7, Base: 9, State: states[set.Counters[c].Name]}
	}
	_, c := newSession(t, source)
	h := openHandle(t, c)
	add(t, c, h, true, ident(diskGUID, 5, "sda"), ident(diskGUID, 6, "sda"), ident(diskGUID, 7, "sda"),
		ident(diskGUID, baseIDs+7, "sda"), ident(diskGUID, perflib.AllCounters, "*"), ident(memoryGUID, 1, ""))
	check := func(want ...rpc.Code) {
		t.Helper()
		var got []rpc.Code
		for r := collect(t, c, h); r.Next(); {
			got = append(got, rpc.Code(r.Block().Status))
			if r.Block().Kind != perflib.KindCounterset {
				continue
			}
			for in := r.Block().Instances(); in.Next(); {
				var sizes []int
				for in.Values.Next() {
					sizes = append(sizes, len(in.Values.Value))
				}
				if !slices.Equal(sizes, []int{0, 0, 8, 0}) {
					t.Errorf("sizes %v", sizes)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	check(rpc.CodeNoData, rpc.CodeAccessDenied, rpc.CodeOK, rpc.CodeNoData, rpc.CodeOK, rpc.CodeOK)
	source.errs["Disk"] = fmt.Errorf("disk: %w", session.ErrDenied)
	denied := rpc.CodeAccessDenied
	check(denied, denied, denied, denied, denied, rpc.CodeOK)
	source.dead.Store(true)
	gone := rpc.CodeNoData
	check(gone, gone, gone, gone, gone, gone)
	source.dead.Store(false)
	delete(source.errs, "Disk")
	check(rpc.CodeNoData, rpc.CodeAccessDenied, rpc.CodeOK, rpc.CodeNoData, rpc.CodeOK, rpc.CodeOK)
}

// Instances come and go while a query is open.
func TestInstancesChange(t *testing.T) {
	source := newTable()
	_, c := newSession(t, source)
	h := openHandle(t, c)
	add(t, c, h, true, ident(diskGUID, 5, "*"), ident(diskGUID, 5, "new"))
	names := func() (got string) {
		for r := collect(t, c, h); r.Next(); {
			b := r.Block()
			got += fmt.Sprint(b.Kind, " ")
			for in := b.Instances(); in.Next(); {
				got += fmt.Sprintf("%s/%d ", in.Name, in.ID)
			}
		}
		return got
	}
	x := wireID(1 << 40)
	if got, want := names(), fmt.Sprintf("4 sda/1 sdb/2 SDA/3 bus/x/%d 0 ", x); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	source.rows["Disk"] = slices.Insert(slices.Delete(source.rows["Disk"], 0, 1), 1, session.Instance{Key: session.InstanceKey{Name: "New", ID: 9}})
	if got, want := names(), fmt.Sprintf("4 sdb/2 New/9 SDA/3 bus/x/%d 1 ", x); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	source.rows["Disk"] = nil
	if got, want := names(), "4 0 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStatuses(t *testing.T) {
	_, c := newSession(t, newTable())
	h := openHandle(t, c)
	long := make([]byte, 2*maxNameUnits)
	for i := range long {
		long[i] = 'a'
	}
	rows := []struct {
		id   perflib.Identifier
		want rpc.Code
	}{
		{ident(diskGUID, 5, "*"), rpc.CodeOK},
		{ident(diskGUID, 5, "*"), rpc.CodeAlreadyExists},
		{ident(diskGUID, 5, "**"), rpc.CodeOK},
		{perflib.Identifier{Counterset: diskGUID, CounterID: 5, InstanceID: 3, Name: perflib.EncodeText("*")}, rpc.CodeOK},
		{ident(otherGUID, 5, "*"), rpc.CodeGUIDNotFound},
		{ident(diskGUID, 99, "*"), rpc.CodeItemNotFound},
		{ident(diskGUID, 8, "*"), rpc.CodeItemNotFound},
		{ident(diskGUID, 5, ""), rpc.CodeInvalidParameter},
		{perflib.Identifier{Counterset: diskGUID, CounterID: 5, Name: perflib.Text{}}, rpc.CodeInvalidParameter},
		{perflib.Identifier{Counterset: diskGUID, CounterID: 5, Name: long}, rpc.CodeInvalidParameter},
		{perflib.Identifier{Counterset: diskGUID, CounterID: 5, Name: long[2:]}, rpc.CodeOK},
		{ident(memoryGUID, 1, "x"), rpc.CodeInvalidParameter},
		{ident(memoryGUID, 1, ""), rpc.CodeOK},
		{perflib.Identifier{Counterset: memoryGUID, CounterID: 2, Name: perflib.Text{}}, rpc.CodeOK},
	}
	var ids []perflib.Identifier
	var want []rpc.Code
	for _, row := range rows {
		ids, want = append(ids, row.id), append(want, row.want)
	}
	if got := add(t, c, h, true, ids...); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
