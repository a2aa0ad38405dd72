package perflib

// What tests from outside look into.
const (
	V1HeaderSize     = v1HeaderSize
	V1ObjectSize     = v1ObjectSize
	V1DefinitionSize = v1DefinitionSize
	V1NoInstances    = v1NoInstances
)

var V1Signature = v1Signature

func U32(b []byte, o int) uint32       { return u32(b, o) }
func PutU32(b []byte, o int, v uint32) { putU32(b, o, v) }

// NextOffset is where the next instance begins.
func (it *V1Instances) NextOffset() int { return it.next }

// Buffer is what an object is read from.
func (o *V1Object) Buffer() []byte { return o.buf }

// Content is what follows the header of the block, for kinds not known here.
func (b *Block) Content() []byte { return b.content }

// DecodeInstances reads the answer of PerflibV2EnumerateCounterSetInstances;
// an empty one is no instances. After damage the instances before it are
// returned.
func DecodeInstances(buf []byte) ([]Instance, error) {
	var list []Instance
	for o := 0; o < len(buf); {
		in, next, err := instanceAt(buf, o, len(buf))
		if err != nil {
			return list, err
		}
		list, o = append(list, in), next
	}
	return list, nil
}
