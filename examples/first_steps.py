import torch
import torch.nn.functional as F
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, global_mean_pool
from torch_geometric.transforms import OneHotDegree

from smixup import SMixup, load_dataset, to_pyg

graphs = to_pyg(load_dataset("MOTIF", num_graphs=800).graphs).to_data_list()  # any list of Data
graphs = [OneHotDegree(24, cat=False)(graph) for graph in graphs]
train, test = graphs[:300], graphs[300:]
model = GCN(25, hidden_channels=32, num_layers=3, out_channels=3, norm="batch")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30)


def logits(batch):
    return global_mean_pool(model(batch.x, batch.edge_index, batch.edge_weight), batch.batch)


mix = SMixup().fit(train)  # learns to match nodes, and aligns every graph with 8 others
with mix.training(model):  # mixes stay out of the statistics of batch norms
    for epoch in range(30):
        for batch in DataLoader(train, 32, shuffle=True):
            batch = mix(batch)  # the graphs as they are, then mixes, with edge_weight and soft y
            optimizer.zero_grad()
            F.cross_entropy(logits(batch), batch.y).backward()
            optimizer.step()
        schedule.step()

model.eval()
right = sum((logits(b).argmax(1) == b.y.argmax(1)).sum() for b in DataLoader(test, 100))
print(f"test accuracy {right / len(test):.3f}")
