package local

import (
	"slices"
	"strconv"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session/text/sheet"
)

// What sheets say is known, and ids and names are those of one counter.
func TestSheets(t *testing.T) {
	for _, text := range []string{machineText, protocolText} {
		for r := range sheet.Rows(text) {
			if _, ok := instanceWords[r.Of[0]]; !ok {
				t.Errorf("%s: %q", r.Part, r.Of[0])
			}
			if len(r.Words) == 0 {
				continue
			}
			_, isType := cooker.LookupType(r.Words[1])
			_, isAggregate := cooker.ParseAggregate(r.Words[3])
			_, errID := strconv.ParseUint(r.Words[0], 10, 32)
			_, errScale := strconv.Atoi(r.Words[2])
			_, errIndex := strconv.ParseUint(r.Of[1], 10, 32)
			if !isType || !isAggregate || errID != nil || errScale != nil || errIndex != nil {
				t.Errorf("%s, %s: %v", r.Part, r.Name, r.Words)
			}
		}
	}
	for _, set := range slices.Concat(machineSets(), protocolSets()) {
		ids, names := map[uint32]bool{}, map[string]bool{}
		for _, c := range set.Counters {
			if ids[c.ID] || names[c.Name] || c.Description == "" {
				t.Errorf("%s: %+v", set.Name, c)
			}
			ids[c.ID], names[c.Name] = true, true
		}
	}
}

// The origin of each counter of a protocol is a file that is read.
func TestProtocolOrigins(t *testing.T) {
	for _, s := range protocolSets() {
		for i, r := range protocolCounters(&s) {
			if (r.needs == 0) != (s.origins[i] == "") {
				t.Errorf("%s, %s: %q is not read", s.Name, r.name, s.origins[i])
			}
		}
	}
}

// Each counter of the sheet is read, and each that is read is in the sheet.
func TestAllIsRead(t *testing.T) {
	read := map[string][]string{
		"Processor Information": namesOf(processorCounters), "Processor Limit": namesOf(processorLimitCounters),
		"Memory": namesOf(memoryCounters), "Memory Use": namesOf(memoryUseCounters), "Memory Limit": namesOf(memoryLimitCounters),
		"System": namesOf(systemCounters), "Process": namesOf(processCounters), "Process Exits": namesOf(processExitCounters),
		"Paging File": namesOf(pagingFileCounters), "PhysicalDisk": namesOf(diskCounters), "LogicalDisk": namesOf(logicalDiskCounters),
		"Network Interface": namesOf(networkCounters), "Thread": namesOf(threadCounters), "Thermal Zone Information": namesOf(thermalCounters),
		"Control Group": namesOf(controlGroupCounters), "Pressure Stall Information": namesOf(pressureCounters),
	}
	read["Processor"] = slices.DeleteFunc(namesOf(processorCounters), func(name string) bool { // came later
		return name == "Processor Frequency" || name == "% of Maximum Frequency"
	})
	for _, set := range machineSets() {
		var names []string
		for _, c := range set.Counters {
			if c.ID < baseOffset {
				names = append(names, c.Name)
			}
		}
		if !slices.Equal(names, read[set.Name]) {
			t.Errorf("%s: %q are listed, %q are read", set.Name, names, read[set.Name])
		}
	}
}

func namesOf[T any](rows []counter[T]) (names []string) {
	for i := range rows {
		names = append(names, rows[i].name)
	}
	return names
}
