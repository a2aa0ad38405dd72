package cooker

import "strings"

// knownUnit are counters whose unit their type does not tell. On objects it holds for those
// alone, without any for every object that has a counter of the name.
type knownUnit struct {
	is       Quantity
	objects  string // parted by |, as objectKey has them
	counters string // parted by | and line ends; those of bytes that are rates are bytes per second
}

// knownUnits is the table. A counter that is not in it has no unit but what its type and the
// signs in its name tell. Left out is what sources disagree about, as "Redo Bytes Remaining",
// which is kilobytes in the documentation of SQL Server.
var knownUnits = []knownUnit{
	// Explain texts of Memory, Process, Job Object and Terminal Services Session ("in bytes");
	// Linux: measured, the kernel tells bytes or KiB.
	{is: Quantity{Bytes, 0}, counters: `Available Bytes|Cache Bytes|Cache Bytes Peak|Commit Limit|Committed Bytes|Free & Zero Page List Bytes
		Modified Page List Bytes|Pool Nonpaged Bytes|Pool Paged Bytes|Pool Paged Resident Bytes|Standby Cache Core Bytes
		Standby Cache Normal Priority Bytes|Standby Cache Reserve Bytes|System Cache Resident Bytes|System Code Resident Bytes
		System Code Total Bytes|System Driver Resident Bytes|System Driver Total Bytes|Page File Bytes|Page File Bytes Peak
		Private Bytes|Virtual Bytes|Virtual Bytes Peak|Working Set|Working Set - Private|Working Set Peak
		IO Data Bytes/sec|IO Other Bytes/sec|IO Read Bytes/sec|IO Write Bytes/sec
		Memory Bytes|Swap Bytes|Physical Bytes|Swap Used Bytes|Block Bytes In/sec|Block Bytes Out/sec|Discard Bytes/sec`},
	{is: Quantity{Bytes, 1}, counters: `Available KBytes|KBytes/sec`},
	{is: Quantity{Bytes, 2}, counters: `Available MBytes|Total MBytes|Free & Zero Page List MBytes|Standby List MBytes|Free Megabytes`},

	// Explain texts of the disks, of the network, of Server, Redirector, the SMB objects, the
	// cluster's shared volumes, Storage Spaces, ReadyBoost, Pacer, IPsec, RAS, RDMA and XHCI.
	{is: Quantity{Bytes, 0}, counters: `Disk Bytes/sec|Disk Read Bytes/sec|Disk Write Bytes/sec|Avg. Disk Bytes/Read|Avg. Disk Bytes/Transfer|Avg. Disk Bytes/Write
		Bytes Received/sec|Bytes Sent/sec|Bytes Total/sec|Bytes/sec|Total Bytes/sec|Read Bytes/sec|Write Bytes/sec|Data Bytes/sec
		Received Bytes/sec|Sent Bytes/sec|Transferred Bytes/sec|Bytes Transferred/sec|Bytes Transmitted/sec|Bytes scheduled/sec|Bytes transmitted/sec
		Avg. Bytes/Read|Avg. Bytes/Write|Avg. Bytes/Transfer|Avg. Data Bytes/Request
		Read Bytes Cache/sec|Read Bytes Network/sec|Read Bytes Non-Paging/sec|Read Bytes Paging/sec
		Write Bytes Cache/sec|Write Bytes Network/sec|Write Bytes Non-Paging/sec|Write Bytes Paging/sec
		IO Read Bytes|IO Read Bytes Delta|IO Write Bytes|IO Write Bytes Delta|Disk IO Read - Bytes|Disk IO Read - Bytes/Sec|Cache IO Read - Bytes|Cache IO Read - Bytes/sec
		Bytes Printed/sec|Network Bytes Recv|Network Bytes Sent
		Redirected Read Bytes|Redirected Read Bytes Delta|Redirected Read Bytes/sec|Redirected Write Bytes|Redirected Write Bytes Delta|Redirected Write Bytes/sec
		Cache read bytes/sec|Total read bytes/sec|Tier Read Bytes/sec|Tier Write Bytes/sec|Tier Transfer Bytes/sec
		Avg. Tier Bytes/Read|Avg. Tier Bytes/Write|Avg. Tier Bytes/Transfer
		Avg. Destage Bytes/Transfer|Avg. Destage Bytes/Operation|Destage Bytes/sec|Bytes Cached|Bytes Reclaimable|Bytes Used
		Virtual Disk Total Bytes|Virtual Disk Missing Bytes|Virtual Disk Stale Bytes|Virtual Disk Need Reallocation Bytes|Virtual Disk Need Regeneration Bytes
		FileSystem Bytes Read|FileSystem Bytes Written|Bytes Received|Bytes Sent|Bytes Transmitted|Bytes Total|Bytes Dropped|Bytes Matched
		Total Bytes Received|Total Bytes Sent|Total Bytes Transferred
		Tcp Offload Receive bytes/sec|Tcp Offload Send bytes/sec|Offloaded Bytes Received/sec|Offloaded Bytes Sent/sec
		Bytes Received in Transport Mode/sec|Bytes Sent in Transport Mode/sec|Bytes Received in Tunnel Mode/sec|Bytes Sent in Tunnel Mode/sec
		RDMA Inbound Bytes/sec|RDMA Outbound Bytes/sec|Average Bytes/second Received|Average Bytes/second Sent|BITS Download BlockSize (Bytes)`},
	{is: Quantity{BitsPerSecond, 0}, counters: `Current Bandwidth|Netcard Speed (Bits/Sec)|IGD Speed (Bits/Sec)
		Estimated bandwidth available to the remote system (Bits/sec)`},
	{is: Quantity{Seconds, -1}, counters: `BITS Download Response Interval (msec)`},
	{is: Quantity{Hertz, 2}, counters: `Processor Frequency|Host processor speed in MHz`},
	{is: Quantity{Bytes, 2}, counters: `Memory Active in MB|Memory Ballooned in MB|Memory Limit in MB
		Memory Mapped in MB|Memory Overhead in MB|Memory Reservation in MB|Memory Shared in MB|Memory Shared Saved in MB|Memory Swapped in MB|Memory Used in MB
		VRAM: Available MB per GPU|VRAM: Reserved MB per GPU`}, // of VMware's guests and of RemoteFX
	{is: Quantity{ServiceState, 0}, objects: "service", counters: `State`},
	{is: Quantity{ServiceStart, 0}, objects: "service", counters: `Start Type`},
	{is: Quantity{Seconds, 0}, counters: `System Up Time|Elapsed Time`}, // where no type is kept: it tells else
	{is: Quantity{Seconds, -1}, objects: "job object", counters: `This Period mSec - Kernel Mode|This Period mSec - Processor|This Period mSec - User Mode
		Total mSec - Kernel Mode|Total mSec - Processor|Total mSec - User Mode`},

	// Explain texts of .NET CLR Memory, Jit, Loading and Networking.
	{is: Quantity{Bytes, 0}, counters: `# Bytes in all Heaps|# Total committed Bytes|# Total reserved Bytes|Allocated Bytes/sec|Bytes in Loader Heap
		Gen 0 heap size|Gen 1 heap size|Gen 2 heap size|Large Object Heap size|Gen 0 Promoted Bytes/Sec|Gen 1 Promoted Bytes/Sec
		Promoted Memory from Gen 0|Promoted Memory from Gen 1|Promoted Finalization-Memory from Gen 0|Promoted Finalization-Memory from Gen 1
		# of IL Bytes Jitted|Total # of IL Bytes Jitted|IL Bytes Jitted / sec`},

	// learn.microsoft.com, "Performance Counters for ASP.NET", and the explain texts of Web
	// Service Cache and W3SVC_W3WP.
	{is: Quantity{Bytes, 0}, counters: `Request Bytes In Total|Request Bytes Out Total|Managed Memory Used (estimated)
		Current File Cache Memory Usage|Maximum File Cache Memory Usage|Output Cache Current Memory Usage`},
	{is: Quantity{Seconds, -1}, objects: "asp.net|asp.net applications|asp.net apps", counters: `Request Execution Time|Request Wait Time`},

	// learn.microsoft.com, "Use SQL Server objects", the page of each object.
	{is: Quantity{Bytes, 1}, counters: `Connection Memory (KB)|Database Cache Memory (KB)|Free Memory (KB)|Granted Workspace Memory (KB)|Lock Memory (KB)
		Log Pool Memory (KB)|Maximum Workspace Memory (KB)|Optimizer Memory (KB)|Reserved Server Memory (KB)|SQL Cache Memory (KB)
		Stolen Server Memory (KB)|Target Server Memory (KB)|Target Server Memory(KB)|Total Server Memory (KB)|Total Server Memory(KB)
		Database Node Memory (KB)|Foreign Node Memory (KB)|Free Node Memory (KB)|Stolen Node Memory (KB)|Target Node Memory (KB)|Total Node Memory (KB)
		Data File(s) Size (KB)|Log File(s) Size (KB)|Log File(s) Used Size (KB)|XTP Memory Used (KB)|Free Space in tempdb (KB)|Version Store Size (KB)
		Cache memory target (KB)|Compile memory target (KB)|Max memory (KB)|Query exec memory target (KB)|Target memory (KB)|Used memory (KB)
		Max request memory grant (KB)|Log Remaining for Undo KB|Log Scanned for Undo KB|Log Send Queue KB|Redo Queue KB|Bulk Copy Throughput/sec`},
	{is: Quantity{Bytes, 1}, objects: "sqlserver:cursor manager by type", counters: `Cursor memory usage`},
	{is: Quantity{Bytes, 1}, objects: "sqlserver:database replica", counters: `Log Send Queue|Recovery Queue|Log remaining for undo`},
	{is: Quantity{BytesPerSecond, 1}, counters: `Version Cleanup rate (KB/s)|Version Generation rate (KB/s)`},
	{is: Quantity{Bytes, 0}, counters: `Log Bytes Generated/sec|Log Bytes Flushed/sec|Log Bytes Received/sec|Log Bytes Sent/sec|Log Bytes Compressed/sec
		Log Bytes Decompressed/sec|Log Bytes Redone from Cache/sec|Log Bytes Sent from Cache/sec|Log Compressed Bytes Rcvd/sec|Log Compressed Bytes Sent/sec
		Log bytes written/sec|Redo Bytes/sec|Redone Bytes/sec|File Bytes Received/sec|Bytes Received from Replica/sec|Bytes Sent to Replica/sec
		Bytes Sent to Transport/sec|DBCC Logical Scan Bytes/sec|Shrink Data Movement Bytes/sec|Device Throughput Bytes/sec
		Receive I/O bytes/sec|Send I/O bytes/sec|BLOB bytes read|BLOB bytes written`},
	{is: Quantity{Seconds, 0}, counters: `Page life expectancy|Extension page unreferenced time|Longest Transaction Running Time`},
	{is: Quantity{Seconds, -1}, counters: `Average Wait Time (ms)|Lock Wait Time (ms)|Average Latch Wait Time (ms)|Total Latch Wait Time (ms)
		Log Flush Wait Time|Log Flush Write Time (ms)|Log Harden Time (ms)|Log Send Flow Control Time (ms)|Max request cpu time (ms)
		Avg Disk Read IO (ms)|Avg Disk Write IO (ms)|Total Execution Time (ms)|Dist:Delivery Latency|Logreader:Delivery Latency`},
	{is: Quantity{Seconds, -2}, objects: "sqlserver:clr", counters: `CLR Execution`},
	{is: Quantity{Percent, 0}, counters: `Percent Log Used`},

	// The explain texts of each, of Exchange, BizTalk, Forefront TMG, Lync, PCoIP, RAS, WCF,
	// Windows Media Player and of Intel's storage driver.
	{is: Quantity{Bytes, 0}, counters: `Average bytes/message|Audio Bytes Received|Audio Bytes Sent|Imaging Bytes Received|Imaging Bytes Sent|USB Bytes Received|USB Bytes Sent`},
	{is: Quantity{BitsPerSecond, 1}, counters: `RX BW kbit/sec|TX BW kbit/sec|RX BW Peak kbit/sec|TX BW Active Limit kbit/sec|TX BW Limit kbit/sec
		Audio RX BW kbit/sec|Audio TX BW kbit/sec|Audio TX BW Limit kbit/sec|Imaging RX BW kbit/sec|Imaging TX BW kbit/sec|USB RX BW kbit/sec|USB TX BW kbit/sec`},
	{is: Quantity{Seconds, 0}, counters: `Inbound Latency (sec)|Outbound Latency (sec)|Outbound Adapter Latency (sec)|Request-Response Latency (sec)|Session Duration Seconds`},
	{is: Quantity{Seconds, -1}, counters: `USrv - Allocation Latency (msec)|USrv - Factory Call Latency (msec)|USrv - Queue Latency (msec)
		Commit Time (ms)|Reorganize Time (ms)|Psi Average Storage Data Update Time (Ms)|Psi Initial Storage Data Load Time (Ms)
		RPC Average Latency|I/O Database Reads Average Latency|I/O Database Reads (Attached) Average Latency|I/O Database Reads (Recovery) Average Latency
		I/O Database Writes Average Latency|I/O Database Writes (Attached) Average Latency|I/O Database Writes (Recovery) Average Latency
		I/O Log Reads Average Latency|I/O Log Writes Average Latency`},
	{is: Quantity{Percent, 0}, counters: `Percent Compression In|Percent Compression Out|Memory Pool for HTTP Requests (%)
		Percent Of Max Concurrent Calls|Percent Of Max Concurrent Instances|Percent Of Max Concurrent Sessions`},
}

// knownQuantities is that table by object and counter, in small letters.
var knownQuantities = indexUnits(knownUnits)

func indexUnits(rows []knownUnit) map[string]Quantity {
	index := map[string]Quantity{}
	for _, row := range rows {
		for object := range strings.SplitSeq(row.objects, "|") {
			for counter := range strings.FieldsFuncSeq(row.counters, func(r rune) bool { return r == '|' || r == '\n' }) {
				index[object+`\`+strings.ToLower(strings.TrimSpace(counter))] = row.is
			}
		}
	}
	return index
}
