// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice An ERC-20 that misbehaves in one way, each time it fails (or, REENTRANT and BOMB, each time it moves).
/// @dev Every kind can blacklist an account both as sender and as recipient, and pause, as issued stablecoins do.
contract TrickToken {
    enum Kind {
        GOOD,
        SILENT,
        FALSE,
        FEE,
        REENTRANT,
        BOMB,
        BURN
    }

    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    Kind public immutable kind;
    uint256 public totalSupply;
    uint256 public feeBps;
    bool public paused;
    bool public reentered;
    address public hookTarget;
    bytes public hook;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public blocked;
    mapping(address => uint256) public nonces;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    constructor(Kind kind_) {
        kind = kind_;
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function setPaused(bool value) external {
        paused = value;
    }

    function setFee(uint256 bps) external {
        feeBps = bps;
    }

    function setHook(address target, bytes calldata data) external {
        hookTarget = target;
        hook = data;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) _fail();
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
        return true;
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline, "permit expired");
        bytes32 structHash = keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner]++, deadline));
        address signer = ecrecover(digestOf(structHash), v, r, s);
        require(signer != address(0) && signer == owner, "bad permit");
        allowance[owner][spender] = value;
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _receive(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        _receive(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function _receive(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        require(msg.sender == to, "caller must be the payee");
        require(block.timestamp > validAfter && block.timestamp < validBefore, "not valid now");
        require(!authorizationState[from][nonce], "nonce used");
        bytes32 digest = receiveDigest(from, to, value, validAfter, validBefore, nonce);
        require(signedBy(from, digest, signature), "bad signature");
        authorizationState[from][nonce] = true;
        _move(from, to, value);
    }

    function receiveDigest(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce
    ) public view returns (bytes32) {
        return digestOf(keccak256(abi.encode(RECEIVE, from, to, value, validAfter, validBefore, nonce)));
    }

    function permitDigest(address owner, address spender, uint256 value, uint256 deadline)
        external
        view
        returns (bytes32)
    {
        return digestOf(keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner], deadline)));
    }

    function digestOf(bytes32 structHash) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Trick"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function signedBy(address account, bytes32 digest, bytes memory signature) public view returns (bool) {
        if (signature.length == 65) {
            bytes32 r;
            bytes32 s;
            uint8 v;
            assembly ("memory-safe") {
                r := mload(add(signature, 0x20))
                s := mload(add(signature, 0x40))
                v := byte(0, mload(add(signature, 0x60)))
            }
            if (ecrecover(digest, v, r, s) == account && account != address(0)) return true;
        }
        if (account.code.length == 0) return false;
        (bool ok, bytes memory answer) =
            account.staticcall(abi.encodeWithSelector(bytes4(0x1626ba7e), digest, signature));
        return ok && answer.length == 32 && abi.decode(answer, (bytes32)) == bytes32(bytes4(0x1626ba7e));
    }

    function _move(address from, address to, uint256 amount) private {
        if (paused || blocked[from] || blocked[to] || balanceOf[from] < amount) _fail();
        uint256 fee = kind == Kind.FEE ? amount * feeBps / 10_000 : 0;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - fee;
        totalSupply -= fee;
        if (kind == Kind.REENTRANT && hookTarget != address(0)) {
            (bool ok,) = hookTarget.call(hook);
            if (ok) reentered = true;
        }
        if (kind == Kind.SILENT) {
            assembly ("memory-safe") {
                return(0, 0)
            }
        }
        if (kind == Kind.BOMB) {
            assembly {
                mstore(0, 1)
                return(0, 10000)
            }
        }
    }

    /// @dev Ends the call in this token's own way; a bomb spends most of its gas on data for the caller to copy.
    function _fail() private view {
        if (kind == Kind.FALSE) {
            assembly ("memory-safe") {
                mstore(0, 0)
                return(0, 32)
            }
        }
        if (kind == Kind.BURN) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        if (kind == Kind.BOMB) {
            uint256 words = root(512 * (gasleft() / 10 * 8));
            assembly {
                revert(0, mul(words, 32))
            }
        }
        revert("transfer refused");
    }

    function root(uint256 x) private pure returns (uint256 y) {
        y = x;
        for (uint256 z = (x + 1) / 2; z < y; z = (x / z + z) / 2) y = z;
    }
}
