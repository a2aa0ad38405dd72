package push

import (
	"fmt"
	"testing"
)

// Each host is of one shard, shards are of one size, and a ninth takes an equal part of
// each of eight and moves nothing else.
func TestShards(t *testing.T) {
	const hosts = 20_000
	of := func(n int, name string) (found int) {
		for i := 1; i <= n; i++ {
			if (Shard{i, n}).Has(name) {
				if found != 0 {
					t.Fatalf("%s is of %d and %d of %d", name, found, i, n)
				}
				found = i
			}
		}
		return found
	}
	eight, moved := map[int]int{}, map[int]int{}
	for i := range hosts {
		name := fmt.Sprintf("srv-%d.example.com", i)
		before, after := of(8, name), of(9, name)
		eight[before]++
		if before != after {
			if after != 9 {
				t.Fatalf("%s went from %d to %d when a ninth came", name, before, after)
			}
			moved[before]++
		}
	}
	if eight[0] > 0 {
		t.Errorf("%d hosts are of no shard", eight[0])
	}
	for i := 1; i <= 8; i++ {
		if n := eight[i]; n < hosts/8*92/100 || n > hosts/8*108/100 {
			t.Errorf("shard %d has %d hosts of %d", i, n, hosts)
		}
		if n := moved[i]; n < hosts/72*70/100 || n > hosts/72*130/100 {
			t.Errorf("a ninth took %d hosts of shard %d, %d would be fair", n, i, hosts/72)
		}
	}
	if of(8, "SRV-1.Example.com.") != of(8, "srv-1.example.com") {
		t.Error("a host is of another shard when it is spelled in another way")
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"3/8": {3, 8}, "1/1": {1, 1}, "8/8": {8, 8}} {
		if got, ok := ParseShard(text); !ok || got != want {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "3", "0/8", "9/8", "3/0", "a/8", "3/8/2", "-1/8", "1/99999"} {
		if got, ok := ParseShard(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
	if !(Shard{}).Has("any") {
		t.Error("the whole lacks a host")
	}
}
