package cooker

import "testing"

// What a counter measures is told by its type, by signs in its name, or by the table: no word
// of a name is a unit by itself.
func TestQuantityIn(t *testing.T) {
	us, ns, ms := Quantity{Seconds, -2}, Quantity{Seconds, -3}, Quantity{Seconds, -1}
	for _, c := range []struct {
		t            CounterType
		object, name string
		want         Quantity
	}{
		{CounterLargeRawCount, "SQLServer:Batch Resp Statistics", "Batches >=000001ms & <000002ms", Quantity{}},
		{CounterLargeRawCount, "SQLServer:Batch Resp Statistics", "Batches >=100000ms", Quantity{}},
		{CounterRawCount, "Files", "Files > 4 GB", Quantity{}},
		{CounterRawCount, "Web", "Requests under 10 ms", Quantity{}},
		{CounterRawCount, "Web", "Last 60 seconds errors", Quantity{}},
		{CounterRawCount, "Web", "Requests over 10 sec/Request", Quantity{}},
		{CounterRawCount, "Web", "Clients over 10/sec", Quantity{}},
		{CounterRawCount, "Disks", "Disks over 90 %", Quantity{}},
		{CounterRawCount, "Disks", "Secondary sectors/section", Quantity{}},
		{CounterRawCount, "Acme", "Widget Bytes", Quantity{}},
		{CounterBulkCount, "Acme", "Widget Bytes/sec", Quantity{Kind: BytesPerSecond}},
		{CounterBulkCount, "Acme", "Readers over 4 KBytes/sec", Quantity{Kind: PerSecond}},
		{CounterRawCount, "Acme", "Request Wait Time", Quantity{}},
		{CounterRawCount, "Acme", "HTTP2 streams/sec", Quantity{Kind: PerSecond}},
		{CounterRawCount, "Acme", "HTTP2/sec", Quantity{Kind: PerSecond}},
		{AverageBulk, "SQLServer:HTTP Storage", "Avg. microsec/Read", us},
		{AverageBulk, "MSSQL$A:HTTP Storage", "Avg. microsec/Write Comp", us},
		{AverageBulk, "X", "Avg. nanosec/Read", ns},
		{AverageBulk, "X", "Avg. µsec/Read", us},
		{AverageBulk, "X", "Avg. msec/Read", ms},
		{AverageBulk, "Forefront TMG Web Proxy", "Average Milliseconds/request", ms},
		{CounterBulkCount, "SQLServer:Availability Replica", "Flow Control Time (ms/sec)", Quantity{Kind: PerSecond}},
		{CounterLargeRawCount, "ASP.NET v4.0.30319", "Request Wait Time", ms},
		{CounterLargeRawCount, "ASP.NET Apps v2.0.50727", "Request Execution Time", ms},
		{CounterLargeRawCount, "MSSQL$PROD:Buffer Manager", "Page life expectancy", Quantity{Kind: Seconds}},
		{CounterLargeRawCount, "SQLServer:Databases", "Log Flush Wait Time", ms},
		{CounterLargeRawCount, "SQLServer:Memory Manager", "Target Server Memory (KB)", Quantity{Bytes, 1}},
		{CounterLargeRawCount, "SQLServer:Memory Manager", "Memory Grants Pending", Quantity{}},
		{CounterRawCount, "System", "System Up Time", Quantity{Kind: Seconds}},
		{CounterBulkCount, "PCoIP Session Network Statistics", "TX BW kbit/sec", Quantity{BitsPerSecond, 1}},
		{CounterRawCount, "Processor Performance", "Processor Frequency", Quantity{Hertz, 2}},
	} {
		if got := QuantityIn(c.t, c.object, c.name); got != c.want {
			t.Errorf(`\%s\%s, %v: %v, want %v`, c.object, c.name, c.t, got, c.want)
		}
	}
}

// A counter has one row in the table.
func TestKnownUnitsAreOne(t *testing.T) {
	rows := 0
	for _, row := range knownUnits {
		rows += len(indexUnits([]knownUnit{row}))
	}
	if rows != len(knownQuantities) || rows < 200 {
		t.Errorf("%d rows of %d counters", rows, len(knownQuantities))
	}
}

// The zero value of a type is no type: the one whose code is 0 is another, which goes out as 0.
func TestTypeNotKnown(t *testing.T) {
	var unknown CounterType
	if unknown.Known() || unknown.String() != "not known" || FormatOf(unknown, Quantity{}, 0).IsHex() {
		t.Errorf("%v: %+v", unknown, FormatOf(unknown, Quantity{}, 0))
	}
	if v := Cook(unknown, nil, &Reading{Raw: 1}, nil, nil, nil); v != Absent(Unsupported) {
		t.Error(v)
	}
	hex := TypeOf(0)
	if found, ok := LookupType("0x00000000"); !ok || found != hex || hex != CounterRawCountHex || uint32(hex) != 0 || !FormatOf(hex, Quantity{}, 0).IsHex() {
		t.Errorf("%v, %v, 0x%08X", hex, found, uint32(hex))
	}
	if x := Explain(Evidence{Type: hex, Cur: &Reading{Raw: 11, Size: 4}}); x.Code != "0x00000000" || x.Result != WholeValue(11).WithStatus(OKHex) {
		t.Errorf("%s %v", x.Code, x.Result)
	}
}
