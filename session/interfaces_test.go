package session_test

import (
	"regexp"
	"strings"
	"testing"

	"perfdeck/session"
)

// Interfaces that loop back, or count what others carry again, are told by their names, by
// the function and the expression alike.
func TestNamesOfInterfaces(t *testing.T) {
	all := regexp.MustCompile("^(?is:" + session.InterfacesAgain + ")$")
	for names, want := range map[string]bool{
		"eth0,enp3s0,eno1,wlan0,wlp2s0,wwan0,usb0,ib0,em0,igb1,en0,bnxt0,vtnet0,hn0,eth10,enccw0.0.0600,lan,":                                                                                                                                                                                                               false,
		"lo,lo0,Lo,docker0,docker_gwbridge,br0,br-9f2e,bridge100,veth31c,bond0,bond0.10,team1,eth0.100,em1.7,virbr0-nic,vmbr0,tun0,tap3f,wg0,utun4,ppp0,cni0,cali1a2b,flannel.1,vxlan.calico,dummy0,ifb0,sit0,gif0":                                                                                                         true,
		"Intel[R] 82579LM Gigabit Network Connection,Realtek PCIe GbE Family Controller _2,vmxnet3 Ethernet Adapter,Microsoft Hyper-V Network Adapter,Broadcom NetXtreme Gigabit Ethernet,Red Hat VirtIO Ethernet Adapter":                                                                                                  false,
		"Loopback Pseudo-Interface 1,Software Loopback Interface 1,isatap.{0F8FAD5B-D9CB-469F-A165-70867728950E},isatap.x.org,Teredo Tunneling Pseudo-Interface,6TO4 Adapter,WAN Miniport [IP],Hyper-V Virtual Ethernet Adapter _2,Microsoft Network Adapter Multiplexor Driver,VMware Virtual Ethernet Adapter for VMnet8": true,
	} {
		for name := range strings.SplitSeq(names, ",") {
			for _, object := range []string{"Network Interface", "network adapter"} {
				set := &session.Counterset{Name: object, Instances: session.MultipleInstances}
				if got := set.FlagsOf(name) == session.FlagBackground; got != want {
					t.Errorf("%s(%s) counts again: %v", object, name, got)
				}
			}
			if got := all.MatchString(name); got != want {
				t.Errorf("the expression takes %q: %v", name, got)
			}
			if f := (&session.Counterset{Name: "Process", Instances: session.MultipleInstances}).FlagsOf(name); f != 0 {
				t.Errorf("the process %q has the flags %d", name, f)
			}
		}
	}
}

// Where all interfaces are such that count again, as in a container, all but the loopback are
// shown; else what is told of them stays.
func TestInterfacesOfContainers(t *testing.T) {
	for names, want := range map[string]string{
		"lo tap0 tun0":    "tap0 tun0",
		"lo eth0 docker0": "eth0",
		"lo":              "",
	} {
		set := &session.Counterset{Name: "Network Interface", Instances: session.MultipleInstances}
		var list []session.Instance
		for name := range strings.FieldsSeq(names) {
			list = append(list, session.Instance{Key: session.InstanceKey{Name: name}, Flags: set.FlagsOf(name)})
		}
		set.Settle(list)
		var got []string
		for _, in := range list {
			if in.Flags == 0 {
				got = append(got, in.Key.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %s are shown %q", names, got)
		}
	}
}
