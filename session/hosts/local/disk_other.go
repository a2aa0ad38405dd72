//go:build !linux

package local

import (
	"fmt"
	"slices"
	"strings"
	"time"

	gopsdisk "github.com/shirou/gopsutil/v4/disk"
)

// recheck is how often what seldom changes is looked at again.
const recheck = 10 * time.Second

var physicalDiskHere = here{
	{nil, []string{
		"Disk Transfers/sec", "Disk Reads/sec", "Disk Writes/sec", "Disk Bytes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec",
		"Avg. Disk Bytes/Transfer", "Avg. Disk Bytes/Read", "Avg. Disk Bytes/Write",
		"Avg. Disk Bytes/Transfer_Base", "Avg. Disk Bytes/Read_Base", "Avg. Disk Bytes/Write_Base",
		"% Disk Time", "% Disk Read Time", "% Disk Write Time", "% Disk Time_Base", "% Disk Read Time_Base", "% Disk Write Time_Base",
		"Avg. Disk Queue Length", "Avg. Disk Read Queue Length", "Avg. Disk Write Queue Length",
	}},
	{[]string{"freebsd"}, []string{"% Idle Time", "% Idle Time_Base"}},
}

// physicalDisks reads PhysicalDisk.
type physicalDisks struct{}

func newPhysicalDisks(*tick) collector {
	return newMany(diskCounters, physicalDisks{}, true)
}

func (physicalDisks) read(f *found[disk]) error {
	all, err := gopsdisk.IOCounters()
	if err != nil {
		return fmt.Errorf("read disks: %w", err)
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c := all[name]
		f.instance("", name, 0).add(&[diskColumns]uint64{
			diskReads: c.ReadCount, diskReadSectors: c.ReadBytes / sector, diskReadMS: c.ReadTime,
			diskWrites: c.WriteCount, diskWriteSectors: c.WriteBytes / sector, diskWriteMS: c.WriteTime,
			diskBusyMS: c.IoTime,
		}, diskDiscards, f.clocks.Time100ns)
	}
	return nil
}

func (physicalDisks) close() {}

var logicalDiskHere = here{{nil, []string{"% Free Space", "% Free Space_Base", "Free Megabytes"}}}

// logicalDisks reads LogicalDisk: its space alone, aside, for a volume whose
// device went away may hang.
type logicalDisks struct {
	options *Options
	latest  latest[[]volumeSpace]
}

type volumeSpace struct {
	point string
	space
}

func newLogicalDisks(t *tick) collector {
	m := newMany(logicalDiskCounters, &logicalDisks{options: t.options}, true)
	m.found.named = volumeName
	return m
}

func (d *logicalDisks) read(f *found[disk]) error {
	volumes, _ := d.latest.get(d.options, recheck, readVolumes)
	for _, v := range volumes {
		*f.instance("", v.point, 0) = disk{time100ns: f.clocks.Time100ns, space: v.space}
	}
	return nil
}

func readVolumes() []volumeSpace {
	var out []volumeSpace
	partitions, _ := gopsdisk.Partitions(false)
	for _, p := range partitions {
		if !strings.HasPrefix(p.Device, "/dev/") && p.Fstype != "zfs" && !strings.Contains(p.Device, ":") || strings.HasPrefix(p.Fstype, "nfs") {
			continue
		}
		if u, err := gopsdisk.Usage(p.Mountpoint); err == nil && u.Total > 0 {
			out = append(out, volumeSpace{p.Mountpoint, space{available: u.Free, usable: u.Used + u.Free}})
		}
	}
	return out
}

func (d *logicalDisks) close() {}
