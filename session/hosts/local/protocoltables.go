package local

import "perfdeck/cooker"

// keys are names with a prefix.
func keys(prefix string, names ...string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = prefix + n
	}
	return out
}

func tcpRows(has bool) (rates, totals []protocolRow) {
	k := func(names ...string) []string {
		if !has {
			return nil
		}
		return keys("Tcp.", names...)
	}
	rates = []protocolRow{
		{"Segments/sec", "TCP segments in and out", k("InSegs", "OutSegs"), 0},
		{"Segments Received/sec", "TCP segments in", k("InSegs"), 0},
		{"Segments Sent/sec", "TCP segments out", k("OutSegs"), 0},
		{"Segments Retransmitted/sec", "TCP segments sent again", k("RetransSegs"), -1},
	}
	totals = []protocolRow{
		{"Connections Established", "TCP connections open now", k("CurrEstab"), 0},
		{"Connections Active", "TCP connections opened from here, in total", k("ActiveOpens"), 0},
		{"Connections Passive", "TCP connections accepted, in total", k("PassiveOpens"), 0},
		{"Connection Failures", "TCP connection attempts that failed, in total", k("AttemptFails"), 0},
		{"Connections Reset", "TCP connections broken off, in total", k("EstabResets"), 0},
	}
	return rates, totals
}

func tcp4Counters() []counter[protocol] {
	rates, totals := tcpRows(true)
	return protocolTable(needSNMP, rates, totals)
}

// tcp6Counters has a source for the open connections alone.
func tcp6Counters() []counter[protocol] {
	rates, totals := tcpRows(false)
	rows := protocolTable(0, rates, totals)
	for i := range rows {
		if rows[i].name == "Connections Established" {
			rows[i].needs = needTCP6
			rows[i].about += ". From /proc/net/tcp6: lines of state 01"
			rows[i].read = func(p *protocol) cooker.Reading { return p.established }
		}
	}
	return rows
}

func udpCounters(needs uint32, prefix string) []counter[protocol] {
	k := func(names ...string) []string { return keys(prefix, names...) }
	return protocolTable(needs, []protocolRow{
		{"Datagrams/sec", "UDP datagrams in and out", k("InDatagrams", "OutDatagrams"), 0},
		{"Datagrams Received/sec", "UDP datagrams in", k("InDatagrams"), 0},
		{"Datagrams No Port/sec", "UDP datagrams in for which nobody listened", k("NoPorts"), 0},
		{"Datagrams Sent/sec", "UDP datagrams out", k("OutDatagrams"), 0},
	}, []protocolRow{
		{"Datagrams Received Errors", "UDP datagrams in that were lost, full buffers included, in total", k("InErrors"), 0},
	})
}

func ipCounters(needs uint32, prefix, forwarded string) []counter[protocol] {
	k := func(names ...string) []string { return keys(prefix, names...) }
	return protocolTable(needs, []protocolRow{
		{"Datagrams/sec", "IP packets in and out", k("InReceives", "OutRequests"), 0},
		{"Datagrams Received/sec", "IP packets in", k("InReceives"), 0},
		{"Datagrams Forwarded/sec", "IP packets handed on to others", k(forwarded), 0},
		{"Datagrams Received Delivered/sec", "IP packets in for this computer", k("InDelivers"), 0},
		{"Datagrams Sent/sec", "IP packets out, made here", k("OutRequests"), 0},
		{"Fragments Received/sec", "IP fragments in", k("ReasmReqds"), 0},
		{"Fragments Re-assembled/sec", "IP packets put together from fragments", k("ReasmOKs"), 0},
		{"Fragmented Datagrams/sec", "IP packets cut into fragments", k("FragOKs"), 0},
		{"Fragments Created/sec", "IP fragments made", k("FragCreates"), 0},
	}, []protocolRow{
		{"Datagrams Received Header Errors", "IP packets in with a faulty header, in total", k("InHdrErrors"), 0},
		{"Datagrams Received Address Errors", "IP packets in with a wrong address, in total", k("InAddrErrors"), 0},
		{"Datagrams Received Unknown Protocol", "IP packets in of an unknown protocol, in total", k("InUnknownProtos"), 0},
		{"Datagrams Received Discarded", "IP packets in that were dropped, in total", k("InDiscards"), 0},
		{"Datagrams Outbound Discarded", "IP packets out that were dropped, in total", k("OutDiscards"), 0},
		{"Datagrams Outbound No Route", "IP packets out without a route, in total", k("OutNoRoutes"), 0},
		{"Fragment Re-assembly Failures", "IP packets not put together, in total", k("ReasmFails"), 0},
		{"Fragmentation Failures", "IP packets that could not be cut, in total", k("FragFails"), 0},
	})
}

// icmpKind is a kind of message: its name in rates or totals, and in the kernel.
type icmpKind struct{ received, sent, kernel string }

func icmpCounters(needs uint32, prefix string, rates, totals []icmpKind) []counter[protocol] {
	rateRows := []protocolRow{
		{"Messages/sec", "ICMP messages in and out", keys(prefix, "InMsgs", "OutMsgs"), 0},
		{"Messages Received/sec", "ICMP messages received", keys(prefix, "InMsgs"), 0},
		{"Messages Sent/sec", "ICMP messages sent", keys(prefix, "OutMsgs"), 0},
	}
	totalRows := []protocolRow{
		{"Messages Received Errors", "ICMP messages received that were faulty, in total", keys(prefix, "InErrors"), 0},
		{"Messages Outbound Errors", "ICMP messages not sent, in total", keys(prefix, "OutErrors"), 0},
	}
	for _, k := range rates {
		rateRows = append(rateRows,
			protocolRow{"Received " + k.received + "/sec", "ICMP " + k.received + " messages received", keys(prefix, "In"+k.kernel), 0},
			protocolRow{"Sent " + k.sent + "/sec", "ICMP " + k.sent + " messages sent", keys(prefix, "Out"+k.kernel), 0})
	}
	for _, k := range totals {
		totalRows = append(totalRows,
			protocolRow{"Received " + k.received, "ICMP " + k.received + " messages received, in total", keys(prefix, "In"+k.kernel), 0},
			protocolRow{"Sent " + k.sent, "ICMP " + k.sent + " messages sent, in total", keys(prefix, "Out"+k.kernel), 0})
	}
	return protocolTable(needs, rateRows, totalRows)
}

func same(name, kernel string) icmpKind { return icmpKind{name, name, kernel} }

func icmp4Counters() []counter[protocol] {
	return icmpCounters(needSNMP, "Icmp.", []icmpKind{
		same("Redirect", "Redirects"), same("Echo", "Echos"), same("Echo Reply", "EchoReps"),
		same("Timestamp", "Timestamps"), same("Timestamp Reply", "TimestampReps"),
	}, []icmpKind{
		{"Dest. Unreachable", "Destination Unreachable", "DestUnreachs"}, same("Time Exceeded", "TimeExcds"),
		same("Parameter Problem", "ParmProbs"), same("Source Quench", "SrcQuenchs"),
		same("Address Mask", "AddrMasks"), same("Address Mask Reply", "AddrMaskReps"),
	})
}

func icmp6Counters() []counter[protocol] {
	return icmpCounters(needSNMP6, "Icmp6", []icmpKind{
		same("Redirect", "Redirects"), same("Echo", "Echos"), same("Echo Reply", "EchoReplies"),
	}, []icmpKind{
		{"Dest. Unreachable", "Destination Unreachable", "DestUnreachs"}, same("Packet Too Big", "PktTooBigs"),
		same("Time Exceeded", "TimeExcds"), same("Parameter Problem", "ParmProblems"),
		same("Router Solicit", "RouterSolicits"), same("Router Advert", "RouterAdvertisements"),
		same("Neighbor Solicit", "NeighborSolicits"), same("Neighbor Advert", "NeighborAdvertisements"),
		same("Membership Query", "GroupMembQueries"), same("Membership Report", "GroupMembResponses"),
		same("Membership Reduction", "GroupMembReductions"),
	})
}
