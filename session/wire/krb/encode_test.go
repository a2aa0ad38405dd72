package krb

import (
	"encoding/binary"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/oiweiwei/gokrb5.fork/v9/types"
)

func marshalInfo(kind int32, iterations uint32) ([]byte, error) {
	return asn1.Marshal(types.ETypeInfo2{{EType: kind, Salt: "CORPana", S2KParams: binary.BigEndian.AppendUint32(nil, iterations)}})
}

func marshalPA(pas types.PADataSequence) ([]byte, error) { return asn1.Marshal(pas) }
